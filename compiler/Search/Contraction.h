// SPDX-License-Identifier: Apache-2.0
//
// A cost network without the variables that have few neighbours.
#ifndef NPU_COMPILER_SEARCH_CONTRACTION_H
#define NPU_COMPILER_SEARCH_CONTRACTION_H

#include "compiler/Search/CostNetwork.h"

namespace npu::search {

struct Contraction {
  CostNetwork network;
  std::vector<int> kept; // its variables, as the whole network names them
  Cost constant = 0;     // what every choice pays besides
};

/// Eliminates variables with one state, and those with at most two neighbours,
/// until there are none. For any states of those that are left the network
/// costs what the whole one costs if the others take their cheapest.
Contraction contract(const CostNetwork &whole, int neighbours = 2);

} // namespace npu::search

#endif // NPU_COMPILER_SEARCH_CONTRACTION_H
