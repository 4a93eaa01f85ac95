// SPDX-License-Identifier: Apache-2.0
//
// What strategies share that choose among the ways of optimal's problem in some
// way of their own.
#include "compiler/Layout/Strategies/Comparison.h"
#include "compiler/Layout/Strategies/SearchProblem.h"
#include "compiler/Layout/Strategies/Strategies.h"

using namespace npu;

LogicalResult npu::decideByNumbers(const LayoutProblem &problem,
                                   ArrayRef<Strategy> others, Choose choose,
                                   LayoutPlan &plan) {
  Candidates candidates(problem, plansOf(problem, others));
  OpWays ways(problem, candidates);
  SearchPrices prices;
  std::optional<std::pair<int64_t, int64_t>> least;
  for (const OnChipValues &values : problem.residencies()) {
    if (least && problem.limit.over())
      break;
    SearchProblem numbers({problem, values}, ways, prices,
                          least ? least->first
                                : std::numeric_limits<int64_t>::max());
    if (numbers.isTooDear())
      continue;
    FailureOr<std::vector<int>> chosen = choose(numbers);
    if (failed(chosen))
      return failure();
    auto cost = numbers.comparable(numbers.cost(*chosen));
    if (least && cost >= *least)
      continue;
    least = cost;
    plan = numbers.planOf(*chosen);
  }
  return success();
}
