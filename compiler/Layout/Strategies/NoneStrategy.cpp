// SPDX-License-Identifier: Apache-2.0
//
// none: every value row-major, as the model has it. Only constants may follow a
// demand (a weight's order costs nothing).
#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/Placement.h"
#include "compiler/Layout/Strategies/Strategies.h"

using namespace npu;

/// A constant is stored as the op wants it beside a row-major result.
static LayoutAttr constantLayout(const LayoutProblem &problem,
                                 const LayoutPlan &plan, LayoutOpInterface op,
                                 OpOperand &operand) {
  unsigned index = operand.getOperandNumber();
  Value value = operand.get();
  SmallVector<LayoutAttr> accepted = problem.accepted(operand);
  if (accepted.empty())
    return rowMajor(value);
  std::string ignored;
  auto placement = placeOp(
      problem, plan, op, {Anchor::result, rowMajor(op->getResult(0))}, ignored);
  if (placement)
    return placement->operands[index];
  return op.getLayoutRelation().independent[index] ? preferred(accepted, value)
                                                   : rowMajor(value);
}

LogicalResult npu::decideNone(const LayoutProblem &problem, LayoutPlan &plan) {
  planBoundary(problem, plan);
  for (Operation &op : problem.function->getRegion(0).front()) {
    for (Value result : op.getResults())
      plan.produced[result] = rowMajor(result);
    for (OpOperand &operand : op.getOpOperands()) {
      auto rule = dyn_cast<LayoutOpInterface>(op);
      if (rule && isConstant(operand.get()))
        plan.read[&operand] = constantLayout(problem, plan, rule, operand);
      else if (!isa<mlir::func::ReturnOp>(op))
        plan.read[&operand] = rowMajor(operand.get());
    }
  }
  return success();
}
