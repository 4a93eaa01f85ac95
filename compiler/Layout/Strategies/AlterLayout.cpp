// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Apply/FoldLayout.h"
#include "compiler/Layout/Apply/Retype.h"
#include "compiler/Layout/Passes/Passes.h"
#include "compiler/Layout/Problem/Alternatives.h"
#include "compiler/Layout/Problem/Cost.h"
#include "compiler/Layout/Problem/Storage.h"
#include "compiler/Layout/Strategies/AlterSteps.h"

using namespace npu;

/// The note as one layout for each operand and the result.
static FailureOr<SmallVector<LayoutAttr>> readNote(Operation *op) {
  auto list = op->getAttrOfType<mlir::ArrayAttr>(bestLayoutsAttr);
  unsigned wanted = op->getNumOperands() + 1;
  if (!list || list.size() != wanted || op->getNumResults() != 1)
    return op->emitOpError() << bestLayoutsAttr << " must list " << wanted
                             << " layouts, one for each operand, then the "
                                "result's";
  SmallVector<LayoutAttr> layouts;
  for (auto [index, entry] : llvm::enumerate(list)) {
    Value value =
        index + 1 == wanted ? Value(op->getResult(0)) : op->getOperand(index);
    auto layout = dyn_cast<LayoutAttr>(entry);
    if (!layout || layout.getRank() != tensorType(value).getRank())
      return op->emitOpError()
             << bestLayoutsAttr << ": " << entry << " is no layout for "
             << (index + 1 == wanted ? std::string("the result")
                                     : "operand " + std::to_string(index))
             << " of rank " << tensorType(value).getRank();
    layouts.push_back(layout);
  }
  return layouts;
}

static void alterOp(Operation *op, ArrayRef<LayoutAttr> layouts) {
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands()) {
    LayoutAttr wanted = layouts[operand.getOperandNumber()];
    if (!isStoredAs(operand.get(), wanted))
      operand.set(RelayoutOp::create(
          builder, op->getLoc(), withLayout(tensorType(operand.get()), wanted),
          operand.get()));
    retypeOperand(operand);
  }
  Value result = op->getResult(0);
  Type outside = result.getType();
  if (isStoredAs(result, layouts.back()))
    return;
  retypeResult(op, layouts.back());
  builder.setInsertionPointAfter(op);
  Value back = RelayoutOp::create(builder, op->getLoc(), outside, result);
  result.replaceAllUsesExcept(back, back.getDefiningOp());
}

/// Ops with a note, as they stand before the notes are carried out.
static SmallVector<Operation *> notedOps(mlir::func::FuncOp function,
                                         StringRef attribute) {
  SmallVector<Operation *> noted;
  for (Operation &op : function.getBody().front())
    if (op.hasAttr(attribute))
      noted.push_back(&op);
  return noted;
}

LogicalResult npu::alterLayouts(mlir::func::FuncOp function) {
  for (Operation *op : notedOps(function, bestLayoutsAttr)) {
    FailureOr<SmallVector<LayoutAttr>> layouts = readNote(op);
    if (failed(layouts))
      return failure();
    alterOp(op, *layouts);
    op->removeAttr(bestLayoutsAttr);
  }
  return success();
}

LogicalResult npu::alterAlgorithms(mlir::func::FuncOp function) {
  for (Operation *op : notedOps(function, bestAlgorithmAttr)) {
    auto name = op->getAttrOfType<StringAttr>(bestAlgorithmAttr);
    const Alternative *found =
        name ? findAlternative(name.getValue(), op->getContext()) : nullptr;
    if (!found)
      return op->emitOpError()
             << bestAlgorithmAttr << ": " << op->getAttr(bestAlgorithmAttr)
             << " is no algorithm";
    if (found->isSet())
      return op->emitOpError()
             << bestAlgorithmAttr << ": '" << found->name
             << "' is a set of ops, which npu-assign-layout puts in";
    if (!found->applies(op) || !found->fits(op, layoutsOf(op)))
      return op->emitOpError() << bestAlgorithmAttr << ": '" << found->name
                               << "' does not compute this op in these layouts";
    op->removeAttr(bestAlgorithmAttr);
    OpBuilder builder(op);
    if (!found->replace(builder, op))
      return failure();
  }
  return success();
}

namespace npu {
#define GEN_PASS_DEF_ALTERLAYOUT
#include "compiler/Layout/Passes/Passes.h.inc"
} // namespace npu

namespace {
struct AlterLayout : npu::impl::AlterLayoutBase<AlterLayout> {
  using AlterLayoutBase::AlterLayoutBase;

  void runOnOperation() override {
    mlir::func::FuncOp function = getOperation();
    if (failed(requireDecided(function)) || failed(alterLayouts(function)) ||
        failed(alterAlgorithms(function)))
      signalPassFailure();
  }
};
} // namespace
