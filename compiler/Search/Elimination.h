// SPDX-License-Identifier: Apache-2.0
//
// Variable elimination: exact, as fast as the network is narrow.
#ifndef NPU_COMPILER_SEARCH_ELIMINATION_H
#define NPU_COMPILER_SEARCH_ELIMINATION_H

#include "compiler/Search/CostNetwork.h"

namespace npu::search {

/// In which order variables go, and what that costs; known before anything is
/// allocated.
struct EliminationPlan {
  /// The variables that have a choice and are connected with no table that is
  /// too large.
  std::vector<int> order;
  bool fits = true;        // all of them are in `order`
  double largestTable = 0; // entries, the eliminated variable included
  double allTables = 0;    // entries kept until the end
  double work = 0;         // entries looked at
};

/// Always takes next the variable whose table is smallest. Those in `frozen`
/// (one flag for each variable; empty: none) stay as they are.
EliminationPlan planElimination(const CostNetwork &network,
                                int64_t tableEntries,
                                const std::vector<char> &frozen = {});

/// Which variables to freeze so that no table is larger than `tableEntries`.
/// The first `candidates` variables are frozen rather than others. Different
/// for each seed.
std::vector<char> freezeSome(const CostNetwork &network, int candidates,
                             int64_t tableEntries, uint64_t seed);

/// The cheapest state of every variable that the plan names; the others keep
/// theirs in `states` (empty: the first one). Empty if time ran out.
std::vector<int> eliminate(const CostNetwork &network,
                           const EliminationPlan &plan,
                           const Deadline &deadline,
                           std::vector<int> states = {});

} // namespace npu::search

#endif // NPU_COMPILER_SEARCH_ELIMINATION_H
