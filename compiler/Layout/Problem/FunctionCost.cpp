// SPDX-License-Identifier: Apache-2.0
//
// The sum over a function's ops, with the values on the chip that make it
// least.
#include "compiler/Layout/Problem/Cost.h"

using namespace npu;

/// The sum over the function's ops; nothing where its kernels cost as much as
/// `limit`.
static std::optional<LayoutCost>
sumBelow(const LayoutProblem &problem, std::optional<int64_t> limit,
         llvm::function_ref<LayoutCost(Operation &)> costOfOp) {
  LayoutCost total;
  for (Operation &op : problem.function->getRegion(0).front()) {
    total += costOfOp(op);
    if (limit && total.kernels.of(problem.objective) >= *limit)
      return std::nullopt;
  }
  return total;
}

FunctionCost npu::costOf(const LayoutProblem &problem,
                         const Algorithms &algorithms) {
  FunctionCost least;
  for (const OnChipValues &values : problem.residencies()) {
    ResidentProblem resident(problem, values);
    auto limit = least.onChip
                     ? std::optional(least.cost.kernels.of(problem.objective))
                     : std::nullopt;
    auto total = sumBelow(problem, limit, [&](Operation &op) {
      return costOf(resident, &op, algorithms.lookup(&op));
    });
    if (total)
      least = {*total, &values};
  }
  return least;
}

Algorithms npu::cheapestAlgorithms(const LayoutProblem &problem) {
  Algorithms best;
  std::optional<int64_t> least;
  for (const OnChipValues &values : problem.residencies()) {
    ResidentProblem resident(problem, values);
    Algorithms chosen;
    auto total = sumBelow(problem, least, [&](Operation &op) -> LayoutCost {
      auto rule = dyn_cast<LayoutOpInterface>(op);
      if (!rule || rule.getSensitivity() == Sensitivity::Data)
        return costOf(resident, &op);
      auto cheapest = cheapestAlgorithm(resident, rule, layoutsOf(&op));
      if (cheapest && cheapest->algorithm)
        chosen[&op] = cheapest->algorithm;
      return cheapest ? cheapest->cost : LayoutCost();
    });
    if (total) {
      least = total->kernels.of(problem.objective);
      best = std::move(chosen);
    }
  }
  return best;
}
