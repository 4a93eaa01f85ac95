// SPDX-License-Identifier: Apache-2.0
//
// none: every value row-major, as the model has it. Only constants may follow a
// demand (a weight's order costs nothing).
#include "compiler/Layout/Placement.h"
#include "compiler/Layout/Strategies.h"

using namespace npu;

LogicalResult npu::decideNone(const LayoutProblem &problem, LayoutPlan &plan) {
  planBoundary(problem, plan);
  for (Operation &op : problem.function->getRegion(0).front()) {
    for (Value result : op.getResults())
      plan.produced[result] = rowMajor(result);
    for (OpOperand &operand : op.getOpOperands()) {
      SmallVector<LayoutAttr> accepted = problem.accepted(operand);
      if (isConstant(operand.get()) && !accepted.empty())
        plan.read[&operand] = preferred(accepted, operand.get());
      else if (!isa<mlir::func::ReturnOp>(op))
        plan.read[&operand] = rowMajor(operand.get());
    }
  }
  return success();
}
