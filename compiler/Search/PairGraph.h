// SPDX-License-Identifier: Apache-2.0
//
// A cost network from which variables are taken away one by one, while those
// that are left pay for them.
#ifndef NPU_COMPILER_SEARCH_PAIRGRAPH_H
#define NPU_COMPILER_SEARCH_PAIRGRAPH_H

#include "compiler/Search/CostNetwork.h"

#include <map>

namespace npu::search {

class PairGraph {
public:
  using Table = std::vector<Cost>; // by the owner's state, then the other's

  struct Variable {
    std::vector<Cost> costs;
    std::map<int, Table> around; // by neighbour
  };

  /// Pairs of the same two variables become one; costs may be below 0.
  explicit PairGraph(const CostNetwork &network);

  int size() const { return static_cast<int>(variables.size()); }
  const Variable &operator[](int v) const { return variables[v]; }
  bool isGone(int v) const { return gone[v]; }

  /// Leaves the variable only this state.
  void settle(int v, int state);

  /// Takes away a variable that has one state, or at most one neighbour: each
  /// neighbour pays for the state that is the cheapest beside its own. What
  /// comes back is the variable as it was.
  Variable fold(int v);

  /// How many entries the table has that `bridge` would make.
  size_t bridgeSize(int v) const;

  /// Takes away a variable with two neighbours: pairs of their states pay.
  Variable bridge(int v);

private:
  void link(int a, int b, const Table &table);
  Variable remove(int v);

  std::vector<Variable> variables;
  std::vector<char> gone;
};

/// Of costs that may be below 0.
inline Cost sum(Cost a, Cost b) {
  return a >= forbidden || b >= forbidden ? forbidden : add(a, b);
}

} // namespace npu::search

#endif // NPU_COMPILER_SEARCH_PAIRGRAPH_H
