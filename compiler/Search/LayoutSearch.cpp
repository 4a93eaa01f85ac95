// SPDX-License-Identifier: Apache-2.0
#include "compiler/Search/LayoutSearch.h"

#include "compiler/Search/Assignment.h"
#include "compiler/Search/Elimination.h"
#include "compiler/Search/Encoding.h"

namespace npu::search {

namespace {

/// The better of what is known: given, or greedy; then improved op by op.
std::vector<int> firstSolution(const Problem &problem, const Options &options,
                               const Deadline &deadline) {
  Assignment greedy(problem);
  greedy.descend(deadline);
  if (options.incumbent.size() != problem.ops.size())
    return greedy.ways();
  Assignment given(problem, options.incumbent);
  given.descend(deadline);
  return totalCost(problem, given.ways()) <= totalCost(problem, greedy.ways())
             ? given.ways()
             : greedy.ways();
}

Cost cheapestWays(const Problem &problem) {
  Cost sum = 0;
  for (const Op &op : problem.ops) {
    Cost least = op.ways.front().cost;
    for (const Way &way : op.ways)
      least = std::min(least, way.cost);
    sum += least;
  }
  return sum;
}

} // namespace

Solution solve(const Problem &problem, const Options &options) {
  Deadline deadline(options.seconds);
  Solution solution;
  solution.method = "elimination";
  Encoding encoding = encode(problem);
  if (encoding.complete) {
    EliminationPlan plan =
        planElimination(encoding.network, options.tableEntries);
    solution.largestTable =
        static_cast<int64_t>(std::min(plan.largestTable, 9e18));
    std::vector<int> states;
    if (plan.fits)
      states = eliminate(encoding.network, plan, deadline);
    if (!states.empty() || problem.ops.empty()) {
      states.resize(problem.ops.size());
      solution.ways = std::move(states);
      solution.cost = solution.lowerBound = totalCost(problem, solution.ways);
      solution.proved = true;
    }
  }
  if (!solution.proved) {
    solution.ways = firstSolution(problem, options, deadline);
    solution.cost = totalCost(problem, solution.ways);
    solution.lowerBound = cheapestWays(problem);
    solution.proved = solution.cost == solution.lowerBound;
    solution.method = "branch and bound";
  }
  solution.seconds = deadline.spent();
  return solution;
}

} // namespace npu::search
