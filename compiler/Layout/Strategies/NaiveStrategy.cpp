// SPDX-License-Identifier: Apache-2.0
//
// naive: each op that does not take the source's order gets a pair of relayouts
// of its own, towards the first layout that the target accepts. What the other
// strategies save is measured against this.
#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/Placement.h"
#include "compiler/Layout/Strategies/Strategies.h"

using namespace npu;

/// Row-major where it will do, else around what the target accepts.
static std::optional<Placement> placeNaively(const LayoutProblem &problem,
                                             const LayoutPlan &plan,
                                             LayoutOpInterface op) {
  LayoutAttr source = rowMajor(op->getResult(0));
  std::string ignored;
  if (auto placement =
          placeOp(problem, plan, op, {Anchor::result, source}, ignored))
    return placement;
  return placeByDemand(problem, plan, op);
}

LogicalResult npu::decideNaive(const LayoutProblem &problem, LayoutPlan &plan) {
  planBoundary(problem, plan);
  for (Operation &op : problem.function->getRegion(0).front()) {
    auto rule = dyn_cast<LayoutOpInterface>(op);
    if (!rule)
      continue;
    OpResult result = op.getResult(0);
    plan.home[result] = rowMajor(result);
    bool isView = rule.getSensitivity() == Sensitivity::Data;
    std::optional<Placement> placement;
    if (!isView)
      placement = placeNaively(problem, plan, rule);
    else if (!acceptsView(problem, rule, rowMajor(op.getOperand(0)),
                          rowMajor(result)))
      placement = placeView(problem, rule, {});
    if (placement)
      record(plan, &op, *placement);
    else
      recordRowMajor(plan, &op);
  }
  return success();
}
