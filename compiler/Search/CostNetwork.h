// SPDX-License-Identifier: Apache-2.0
//
// Variables with a few states each, a cost for each state and for pairs of
// states: the form in which a layout problem is solved by elimination.
#ifndef NPU_COMPILER_SEARCH_COSTNETWORK_H
#define NPU_COMPILER_SEARCH_COSTNETWORK_H

#include "compiler/Search/Deadline.h"
#include "compiler/Search/LayoutSearch.h"

#include <algorithm>

namespace npu::search {

/// What may not be chosen costs this; sums never go beyond it.
constexpr Cost forbidden = (Cost(1) << 62) - 1;

inline Cost add(Cost a, Cost b) { return std::min(a + b, forbidden); }

/// A cost for each pair of states: table[i * size(second) + j].
struct PairCost {
  int first = 0, second = 0;
  std::vector<Cost> table;
};

struct CostNetwork {
  /// The cost of each state of each variable.
  std::vector<std::vector<Cost>> variables;
  std::vector<PairCost> pairs;

  int size(int variable) const {
    return static_cast<int>(variables[variable].size());
  }
  /// Of all tables.
  double entries() const {
    double sum = 0;
    for (const PairCost &pair : pairs)
      sum += static_cast<double>(pair.table.size());
    return sum;
  }
};

} // namespace npu::search

#endif // NPU_COMPILER_SEARCH_COSTNETWORK_H
