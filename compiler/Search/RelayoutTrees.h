// SPDX-License-Identifier: Apache-2.0
//
// What the copies of a value cost: each is made from the value as it is stored,
// or from another copy.
#ifndef NPU_COMPILER_SEARCH_RELAYOUTTREES_H
#define NPU_COMPILER_SEARCH_RELAYOUTTREES_H

#include "compiler/Search/LayoutSearch.h"

#include <unordered_map>

namespace npu::search {

/// Layouts of one value as bits.
using LayoutSet = uint64_t;

inline LayoutSet setOf(int layout) { return LayoutSet(1) << layout; }

/// One relayout.
struct Relayout {
  int from = 0, to = 0; // layouts
};

/// How one value is stored, and the layouts that it is read in.
struct Copies {
  int stored = 0;
  LayoutSet wanted = 0;
};

/// The copies that a choice of ways asks for, value by value.
std::vector<Copies> copiesOf(const Problem &problem,
                             const std::vector<int> &ways);

/// The cheapest relayouts that make a set of layouts out of one: a tree from
/// the stored layout, in which layouts that nobody reads may occur where that
/// is cheaper. Where no relayout is cheaper from a copy than from the stored
/// value, that is a relayout for each layout; elsewhere, the least tree through
/// all subsets of the set (Dreyfus and Wagner), remembered. Not for several
/// threads at once.
class RelayoutTrees {
public:
  /// The problem's ways may become fewer later on.
  explicit RelayoutTrees(const Problem &problem);

  /// What the cheapest tree from `stored` to all of `wanted` costs. Larger sets
  /// never cost less; a union never more than both of its parts.
  Cost cost(int value, int stored, LayoutSet wanted) const;

  /// As cost(), to one layout.
  Cost costOfOne(int value, int stored, int wanted) const {
    const int layouts = values[value].layouts;
    const std::vector<Cost> &costs =
        shares(value) ? tables[shared[value]].least : values[value].move;
    return costs[stored * layouts + wanted];
  }

  /// The relayouts of that tree, each after what it starts from.
  std::vector<Relayout> tree(int value, int stored, LayoutSet wanted) const;

  /// Whether a copy of the value may be cheaper from another copy than from
  /// the stored value.
  bool shares(int value) const { return shared[value] >= 0; }

private:
  /// A value whose copies may be made from copies.
  struct Shared {
    int layouts = 0;
    std::vector<Cost> least; // from one layout to another, by any way
    std::vector<int> via;    // a layout in between; -1: straight
    /// For each set of layouts the cost of its tree from each layout.
    std::unordered_map<LayoutSet, std::vector<Cost>> trees;
  };

  static void close(const Value &value, Shared &shared);
  static const std::vector<Cost> &treesOf(Shared &shared, LayoutSet wanted);
  static std::vector<Cost> forksOf(Shared &shared, LayoutSet wanted);
  static void grow(Shared &shared, int from, LayoutSet wanted,
                   std::vector<Relayout> &tree);
  static void go(const Shared &shared, int from, int to,
                 std::vector<Relayout> &tree);

  const std::vector<Value> &values;
  std::vector<int> shared; // by value: where in `tables`; -1: none
  mutable std::vector<Shared> tables;
};

/// The total of a choice; `totalCost` without trees builds them first.
Cost totalCost(const Problem &problem, const RelayoutTrees &trees,
               const std::vector<int> &ways);

} // namespace npu::search

#endif // NPU_COMPILER_SEARCH_RELAYOUTTREES_H
