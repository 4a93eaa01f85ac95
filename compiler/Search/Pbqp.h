// SPDX-License-Identifier: Apache-2.0
//
// The partitioned boolean quadratic programme of a layout problem, and the
// usual solver of such: exact reductions, and a local choice where none is
// left. It proves nothing.
#ifndef NPU_COMPILER_SEARCH_PBQP_H
#define NPU_COMPILER_SEARCH_PBQP_H

#include "compiler/Search/CostNetwork.h"

namespace npu::search {

struct PbqpChoice {
  std::vector<int> states;
  /// Nodes whose state was chosen by looking at their neighbours only; 0: there
  /// is no cheaper choice.
  int guessed = 0;
};

/// Takes away nodes without neighbours, with one (its cost vector takes theirs)
/// and with two (an edge takes theirs); where all have more, the one that has
/// the most gets the state that is the cheapest beside each neighbour's best.
PbqpChoice solvePbqp(const CostNetwork &network);

/// A layout problem's ways, as the solver chooses them: ops are nodes, their
/// ways' costs the vectors; each operand is an edge, with what it costs to
/// bring what the producer stores to what the reader reads. Of an op with more
/// than 1,024 ways only the cheapest take part.
PbqpChoice chooseByPbqp(const Problem &problem);

} // namespace npu::search

#endif // NPU_COMPILER_SEARCH_PBQP_H
