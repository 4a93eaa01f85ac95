// SPDX-License-Identifier: Apache-2.0
#include "compiler/Search/RelayoutTrees.h"

#include <algorithm>

namespace npu::search {

std::vector<Copies> copiesOf(const Problem &problem,
                             const std::vector<int> &ways) {
  std::vector<Copies> copies(problem.values.size());
  for (size_t i = 0; i < problem.ops.size(); ++i) {
    const Op &op = problem.ops[i];
    const Way &way = op.ways[ways[i]];
    for (size_t k = 0; k < op.operands.size(); ++k)
      if (way.layouts[k] != asStored)
        copies[op.operands[k]].wanted |= setOf(way.layouts[k]);
    for (size_t k = 0; k < op.results.size(); ++k)
      copies[op.results[k]].stored = way.layouts[op.operands.size() + k];
  }
  return copies;
}

namespace {

/// In which layouts a value may be stored, and in which it may be read.
struct Possible {
  LayoutSet stored = 0, read = 0;
};

std::vector<Possible> possibleOf(const Problem &problem) {
  std::vector<Possible> possible(problem.values.size());
  for (const Op &op : problem.ops)
    for (const Way &way : op.ways) {
      for (size_t k = 0; k < op.operands.size(); ++k)
        if (way.layouts[k] != asStored)
          possible[op.operands[k]].read |= setOf(way.layouts[k]);
      for (size_t k = 0; k < op.results.size(); ++k)
        possible[op.results[k]].stored |=
            setOf(way.layouts[op.operands.size() + k]);
    }
  return possible;
}

/// Whether a layout that is read is cheaper from some other layout than from
/// one that the value may be stored in.
bool mayShare(const Value &value, const Possible &possible) {
  const int layouts = value.layouts;
  for (int to = 0; to < layouts; ++to) {
    if (!(possible.read & setOf(to)))
      continue;
    Cost nearest = -1, farthest = 0;
    for (int from = 0; from < layouts; ++from) {
      if (from == to)
        continue;
      Cost cost = value.move[from * layouts + to];
      nearest = nearest < 0 ? cost : std::min(nearest, cost);
      if (possible.stored & setOf(from))
        farthest = std::max(farthest, cost);
    }
    if (nearest < farthest)
      return true;
  }
  return false;
}

} // namespace

RelayoutTrees::RelayoutTrees(const Problem &problem) : values(problem.values) {
  std::vector<Possible> possible = possibleOf(problem);
  for (size_t v = 0; v < values.size(); ++v) {
    bool shares = mayShare(values[v], possible[v]);
    shared.push_back(shares ? static_cast<int>(tables.size()) : -1);
    if (!shares)
      continue;
    tables.emplace_back();
    close(values[v], tables.back());
  }
}

/// The cheapest ways between all pairs of layouts (Floyd and Warshall).
void RelayoutTrees::close(const Value &value, Shared &shared) {
  const int n = shared.layouts = value.layouts;
  shared.least = value.move;
  shared.via.resize(shared.least.size(), -1);
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        Cost around = shared.least[i * n + k] + shared.least[k * n + j];
        if (around >= shared.least[i * n + j])
          continue;
        shared.least[i * n + j] = around;
        shared.via[i * n + j] = k;
      }
}

/// From each layout the least cost of two trees that share nothing.
std::vector<Cost> RelayoutTrees::forksOf(Shared &shared, LayoutSet wanted) {
  std::vector<Cost> forks(shared.layouts, INT64_MAX);
  // One half has the lowest layout: each split is looked at once.
  const LayoutSet lowest = wanted & -wanted, others = wanted ^ lowest;
  for (LayoutSet half = others; half != 0; half = (half - 1) & others) {
    const std::vector<Cost> &one = treesOf(shared, half);
    const std::vector<Cost> &other = treesOf(shared, wanted ^ half);
    for (int layout = 0; layout < shared.layouts; ++layout)
      forks[layout] = std::min(forks[layout], one[layout] + other[layout]);
  }
  return forks;
}

const std::vector<Cost> &RelayoutTrees::treesOf(Shared &shared,
                                                LayoutSet wanted) {
  auto known = shared.trees.find(wanted);
  if (known != shared.trees.end())
    return known->second;
  const int n = shared.layouts;
  std::vector<Cost> least(n, 0);
  if ((wanted & (wanted - 1)) == 0) {
    int to = __builtin_ctzll(wanted);
    for (int from = 0; from < n; ++from)
      least[from] = shared.least[from * n + to];
  } else {
    std::vector<Cost> forks = forksOf(shared, wanted);
    for (int from = 0; from < n; ++from) {
      least[from] = forks[from];
      for (int fork = 0; fork < n; ++fork)
        least[from] =
            std::min(least[from], shared.least[from * n + fork] + forks[fork]);
    }
  }
  return shared.trees[wanted] = std::move(least);
}

Cost RelayoutTrees::cost(int value, int stored, LayoutSet wanted) const {
  if (wanted == 0)
    return 0;
  if ((wanted & (wanted - 1)) == 0)
    return costOfOne(value, stored, __builtin_ctzll(wanted));
  if (shares(value))
    return treesOf(tables[shared[value]], wanted)[stored];
  const Value &moved = values[value];
  Cost sum = 0;
  for (int to = 0; wanted != 0; ++to, wanted >>= 1)
    if (wanted & 1)
      sum += moved.move[stored * moved.layouts + to];
  return sum;
}

void RelayoutTrees::go(const Shared &shared, int from, int to,
                       std::vector<Relayout> &tree) {
  if (from == to)
    return;
  int via = shared.via[from * shared.layouts + to];
  if (via < 0) {
    tree.push_back({from, to});
    return;
  }
  go(shared, from, via, tree);
  go(shared, via, to, tree);
}

void RelayoutTrees::grow(Shared &shared, int from, LayoutSet wanted,
                         std::vector<Relayout> &tree) {
  if ((wanted & (wanted - 1)) == 0)
    return go(shared, from, __builtin_ctzll(wanted), tree);
  const int n = shared.layouts;
  const Cost least = treesOf(shared, wanted)[from];
  const std::vector<Cost> forks = forksOf(shared, wanted);
  int fork = 0;
  while (shared.least[from * n + fork] + forks[fork] != least)
    ++fork;
  go(shared, from, fork, tree);
  const LayoutSet lowest = wanted & -wanted, others = wanted ^ lowest;
  LayoutSet half = others;
  while (treesOf(shared, half)[fork] + treesOf(shared, wanted ^ half)[fork] !=
         forks[fork])
    half = (half - 1) & others;
  grow(shared, fork, half, tree);
  grow(shared, fork, wanted ^ half, tree);
}

std::vector<Relayout> RelayoutTrees::tree(int value, int stored,
                                          LayoutSet wanted) const {
  wanted &= ~setOf(stored);
  std::vector<Relayout> all;
  if (shares(value) && wanted != 0)
    grow(tables[shared[value]], stored, wanted, all);
  else
    for (int to = 0; to < values[value].layouts; ++to)
      if (wanted & setOf(to))
        all.push_back({stored, to});
  // Relayouts that cost nothing may lead to one layout twice, or nowhere.
  LayoutSet made = setOf(stored);
  std::vector<Relayout> once;
  for (Relayout relayout : all)
    if (!(made & setOf(relayout.to))) {
      made |= setOf(relayout.to);
      once.push_back(relayout);
    }
  LayoutSet used = wanted;
  std::vector<Relayout> needed;
  for (auto relayout = once.rbegin(); relayout != once.rend(); ++relayout)
    if (used & setOf(relayout->to)) {
      used |= setOf(relayout->from);
      needed.push_back(*relayout);
    }
  std::reverse(needed.begin(), needed.end());
  return needed;
}

Cost totalCost(const Problem &problem, const RelayoutTrees &trees,
               const std::vector<int> &ways) {
  Cost total = 0;
  for (size_t i = 0; i < problem.ops.size(); ++i)
    total += problem.ops[i].ways[ways[i]].cost;
  std::vector<Copies> copies = copiesOf(problem, ways);
  for (size_t value = 0; value < copies.size(); ++value)
    total += trees.cost(static_cast<int>(value), copies[value].stored,
                        copies[value].wanted);
  return total;
}

Cost totalCost(const Problem &problem, const std::vector<int> &ways) {
  return totalCost(problem, RelayoutTrees(problem), ways);
}

} // namespace npu::search
