// SPDX-License-Identifier: Apache-2.0
//
// pbqp, after Anderson and Gregg's selection of primitives: a partitioned
// boolean quadratic programme over the same ways and costs as optimal's,
// solved by reductions and, where none applies, local choices.
#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Strategies/Comparison.h"
#include "compiler/Layout/Strategies/SearchProblem.h"
#include "compiler/Search/Pbqp.h"

using namespace npu;

LogicalResult npu::decidePbqp(const LayoutProblem &problem,
                              ArrayRef<Strategy> others, LayoutPlan &plan) {
  Candidates candidates(problem, plansOf(problem, others));
  OpWays ways(problem, candidates);
  RelayoutPrices prices;
  std::optional<std::pair<int64_t, int64_t>> least;
  for (const OnChipValues &values : problem.residencies()) {
    problem.keepOnChip(values);
    SearchProblem numbers(problem, ways, prices,
                          least ? least->first
                                : std::numeric_limits<int64_t>::max());
    if (numbers.isTooDear())
      continue;
    std::vector<int> chosen = search::chooseByPbqp(numbers.numbers()).states;
    auto cost = numbers.comparable(numbers.cost(chosen));
    if (least && cost >= *least)
      continue;
    least = cost;
    plan = numbers.planOf(chosen);
  }
  return success();
}
