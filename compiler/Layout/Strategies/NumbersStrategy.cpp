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
  const search::Deadline limit = problem.limit.share(numbersPart);
  Candidates candidates(problem, plansOf(problem, others));
  OpWays ways(problem, candidates);
  SearchPrices prices;
  // Whether it cannot be executed, the objective, then its tie-breaks.
  std::optional<std::tuple<bool, int64_t, int64_t>> least;
  int64_t most = std::numeric_limits<int64_t>::max(); // of what can
  ArrayRef<OnChipValues> choices = problem.residencies();
  for (ResidencyBound bound : residencyBounds(problem, ways, prices)) {
    if (least && (limit.over() || bound.least >= most))
      break;
    SearchProblem numbers({problem, choices[bound.number]}, ways, prices, most);
    if (numbers.isTooDear())
      continue;
    FailureOr<std::vector<int>> chosen = choose(numbers);
    if (failed(chosen))
      return failure();
    const search::Cost total = numbers.cost(*chosen);
    auto [units, ties] = numbers.comparable(total);
    std::tuple cost(numbers.isBeyond(total), units, ties);
    if (least && cost >= *least)
      continue;
    least = cost;
    if (!std::get<0>(cost))
      most = units;
    plan = numbers.planOf(*chosen);
  }
  return success();
}
