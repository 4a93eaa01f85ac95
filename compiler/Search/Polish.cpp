// SPDX-License-Identifier: Apache-2.0
#include "compiler/Search/Polish.h"

#include "compiler/Search/Elimination.h"

namespace npu::search {

std::vector<int> polish(const Problem &problem, const RelayoutTrees &trees,
                        const Encoding &encoding, std::vector<int> ways,
                        const Deadline &deadline) {
  constexpr int64_t tableEntries = 4096;
  constexpr int patience = 8;
  if (!encoding.complete)
    return ways;
  // Frozen ops let sets grow and shrink; frozen sets would not let ops change.
  const int ops = static_cast<int>(problem.ops.size());
  Cost cost = totalCost(problem, trees, ways);
  int fruitless = 0;
  for (uint64_t seed = 0; fruitless < patience && !deadline.over(); ++seed) {
    deadline.count(encoding.network.entries());
    std::vector<char> frozen =
        freezeSome(encoding.network, ops, tableEntries, seed);
    EliminationPlan plan =
        planElimination(encoding.network, tableEntries, frozen);
    std::vector<int> states =
        eliminate(encoding.network, plan, deadline, encoding.statesOf(ways));
    if (states.empty())
      break;
    states.resize(ways.size());
    Cost now = totalCost(problem, trees, states);
    fruitless = now < cost ? 0 : fruitless + 1;
    if (now > cost)
      continue;
    cost = now;
    ways = std::move(states);
  }
  return ways;
}

} // namespace npu::search
