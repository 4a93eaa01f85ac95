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
  std::vector<int> order;  // every variable with more than one state
  double largestTable = 0; // entries, the eliminated variable included
  double allTables = 0;    // entries kept until the end
  bool fits = true;        // false: `order` stops where a table is too large
};

/// Always takes next the variable whose table is smallest.
EliminationPlan planElimination(const CostNetwork &network,
                                int64_t tableEntries);

/// The cheapest state of every variable. Empty if time ran out. The plan must
/// fit.
std::vector<int> eliminate(const CostNetwork &network,
                           const EliminationPlan &plan,
                           const Deadline &deadline);

} // namespace npu::search

#endif // NPU_COMPILER_SEARCH_ELIMINATION_H
