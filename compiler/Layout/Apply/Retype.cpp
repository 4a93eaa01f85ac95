// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Apply/Retype.h"

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
