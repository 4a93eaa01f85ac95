// SPDX-License-Identifier: Apache-2.0
//
// A choice of ways that is changed op by op, its cost always known.
#ifndef NPU_COMPILER_SEARCH_ASSIGNMENT_H
#define NPU_COMPILER_SEARCH_ASSIGNMENT_H

#include "compiler/Search/CostNetwork.h"
#include "compiler/Search/RelayoutTrees.h"

namespace npu::search {

class Assignment {
public:
  /// Takes the ways; if empty, each op in turn the one that is cheapest so far.
  Assignment(const Problem &problem, const RelayoutTrees &trees,
             std::vector<int> start = {});

  /// Gives single ops the way that is cheapest as long as all others stay,
  /// until none can be improved. Every step lowers the cost, so it ends.
  void descend(const Deadline &deadline);

  const std::vector<int> &ways() const { return chosen; }

private:
  /// Adds (or takes away) what the op reads; the result's layout stays known.
  void place(int op, int way, int readers);
  /// What the op's way costs, relayouts of its operands and results included,
  /// while the op itself is not placed.
  Cost costOf(int op, int way);
  int cheapest(int op);
  int &readersOf(int value, int layout) {
    return readers[firstLayout[value] + layout];
  }

  const Problem &problem;
  const RelayoutTrees &trees;
  std::vector<int> chosen;
  std::vector<int> stored; // layout of each value
  std::vector<size_t> firstLayout;
  std::vector<int> readers;                 // of each layout of each value
  std::vector<LayoutSet> wanted;            // of each value: those with readers
  std::vector<std::vector<int>> neighbours; // ops that share a value
};

} // namespace npu::search

#endif // NPU_COMPILER_SEARCH_ASSIGNMENT_H
