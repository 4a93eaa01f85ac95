// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Apply/Retype.h"

#include "compiler/Dialect/NPU/FusedKernel.h"
#include "compiler/Layout/Problem/Alternatives.h"
#include "compiler/Layout/Problem/LayoutPlan.h"

using namespace npu;

void npu::setLayout(Value value, LayoutAttr layout) {
  value.setType(withLayout(tensorType(value), layout));
}

void npu::retypeResult(Operation *op, LayoutAttr layout) {
  setLayout(op->getResult(0), layout);
  if (auto fused = dyn_cast<FusedOp>(op))
    for (Operation &inner : fused.getBody().front().without_terminator())
      setLayout(inner.getResult(0), layout);
}

void npu::retypeOperand(OpOperand &operand) {
  if (auto fused = dyn_cast<FusedOp>(operand.getOwner()))
    fused.getBody()
        .front()
        .getArgument(operand.getOperandNumber())
        .setType(operand.get().getType());
}

void npu::updateSignature(mlir::func::FuncOp function) {
  Block &block = function.getBody().front();
  function.setType(
      mlir::FunctionType::get(function.getContext(), block.getArgumentTypes(),
                              block.getTerminator()->getOperandTypes()));
}

void npu::forgetLayouts(mlir::func::FuncOp function) {
  auto forget = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (type && type.getEncoding())
      value.setType(
          RankedTensorType::get(type.getShape(), type.getElementType()));
  };
  function.walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), forget);
    llvm::for_each(op->getResults(), forget);
    op->removeAttr(layoutNoteAttr);
    op->removeAttr(replacementAttr);
    op->removeAttr(splitAttr);
    op->removeAttr(splitPlaceAttr);
    if (auto relayout = dyn_cast<RelayoutOp>(op)) {
      relayout.getResult().replaceAllUsesWith(relayout.getInput());
      relayout.erase();
    }
  });
  updateSignature(function);
}
