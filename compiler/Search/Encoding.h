// SPDX-License-Identifier: Apache-2.0
//
// A layout problem as a cost network of small width.
#ifndef NPU_COMPILER_SEARCH_ENCODING_H
#define NPU_COMPILER_SEARCH_ENCODING_H

#include "compiler/Search/CostNetwork.h"
#include "compiler/Search/RelayoutTrees.h"

namespace npu::search {

/// Variable i of the network is op i, its states are the op's ways. Behind them
/// come sets: for a value that several ops read, the layouts it is read in.
///
/// A set must contain what each reader needs. Nothing says that it is no
/// larger, but larger sets never cost less, so the minimum is that of the
/// problem. Where the readers of u include those of v and read u as they read
/// v, the set of u need only contain the set of v: a layer of a DenseNet is
/// then linked to one set, not to all before it.
struct Encoding {
  /// What a set must contain, by the state of another variable.
  struct Demand {
    int variable = 0;
    std::vector<LayoutSet> needs;
  };
  struct SetVariable {
    int variable = 0;
    std::vector<LayoutSet> sets; // its states, sorted
    std::vector<Demand> demands;
  };

  CostNetwork network;
  std::vector<SetVariable> sets; // each after those that it contains
  /// Whether each set was small enough to be listed.
  bool complete = true;

  /// The states of all variables for a choice of ways.
  std::vector<int> statesOf(const std::vector<int> &ways) const;
};

Encoding encode(const Problem &problem, const RelayoutTrees &trees);

} // namespace npu::search

#endif // NPU_COMPILER_SEARCH_ENCODING_H
