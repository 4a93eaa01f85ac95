// SPDX-License-Identifier: Apache-2.0
//
// naive: each op that does not take the source's order gets a pair of relayouts
// of its own, towards the first layout that the target accepts. What the other
// strategies save is measured against this.
#include "compiler/Layout/Placement.h"
#include "compiler/Layout/Strategies.h"

using namespace npu;

static bool acceptsRowMajor(ArrayRef<LayoutAttr> accepted, Value value) {
  return accepted.empty() || llvm::any_of(accepted, [&](LayoutAttr layout) {
           return layout.isRowMajor(tensorType(value).getShape());
         });
}

/// Around the result's first accepted layout, or row-major where it will do.
static std::optional<Placement> placeNaively(const LayoutProblem &problem,
                                             const LayoutPlan &plan,
                                             LayoutOpInterface op) {
  OpResult result = op->getResult(0);
  SmallVector<LayoutAttr> accepted = problem.accepted(result);
  std::string ignored;
  if (acceptsRowMajor(accepted, result)) {
    auto placement =
        placeOp(problem, plan, op, {Anchor::result, rowMajor(result)}, ignored);
    if (placement)
      return placement;
  }
  for (const Anchor &anchor : acceptedAnchors(problem, op))
    if (auto placement = placeOp(problem, plan, op, anchor, ignored))
      return placement;
  return std::nullopt;
}

LogicalResult npu::decideNaive(const LayoutProblem &problem, LayoutPlan &plan) {
  planBoundary(problem, plan);
  for (Operation &op : problem.function->getRegion(0).front()) {
    auto rule = dyn_cast<LayoutOpInterface>(op);
    if (!rule)
      continue;
    OpResult result = op.getResult(0);
    plan.home[result] = rowMajor(result);
    std::optional<Placement> placement;
    if (rule.getSensitivity() != Sensitivity::Data)
      placement = placeNaively(problem, plan, rule);
    if (placement) {
      record(plan, &op, *placement);
      continue;
    }
    recordRowMajor(plan, &op);
  }
  return success();
}
