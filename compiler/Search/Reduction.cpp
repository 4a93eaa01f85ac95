// SPDX-License-Identifier: Apache-2.0
#include "compiler/Search/Reduction.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace npu::search {

namespace {

/// What a value may cost at most, in the ways that are left.
class Worst {
public:
  Worst(const Problem &problem, const RelayoutTrees &trees)
      : problem(problem), trees(trees), stored(problem.values.size()),
        read(problem.values.size()) {
    for (size_t v = 0; v < problem.values.size(); ++v) {
      stored[v].resize(problem.values[v].layouts, 0);
      read[v].resize(problem.values[v].layouts, 0);
    }
    for (const Op &op : problem.ops)
      for (const Way &way : op.ways) {
        for (size_t k = 0; k < op.operands.size(); ++k)
          if (way.layouts[k] != asStored)
            read[op.operands[k]][way.layouts[k]] = 1;
        for (size_t k = 0; k < op.results.size(); ++k)
          stored[op.results[k]][way.layouts[op.operands.size() + k]] = 1;
      }
    for (size_t v = 0; v < problem.values.size(); ++v)
      fetch.push_back(worstFetch(static_cast<int>(v)));
  }

  /// What reading the value in this layout may cost.
  Cost toRead(int value, int layout) const { return fetch[value][layout]; }

  /// What storing the value in `now` may cost more than storing it in `before`.
  /// An op's ways ask for its results again and again.
  Cost toStore(int value, int now, int before) {
    if (now == before)
      return 0;
    const int layouts = problem.values[value].layouts;
    if (asked != value) {
      asked = value;
      known.assign(static_cast<size_t>(layouts * layouts), -1);
    }
    Cost &more = known[now * layouts + before];
    if (more < 0)
      more = moreToStore(value, now, before);
    return more;
  }

private:
  Cost moreToStore(int value, int now, int before) const {
    // Either it is brought to `before` first, or each copy that was made from
    // there (if copies share, one that nobody reads, too) is made from `now`.
    Cost sum = 0;
    for (int to = 0; to < problem.values[value].layouts; ++to)
      if (read[value][to] || trees.shares(value))
        sum += std::max<Cost>(0, trees.costOfOne(value, now, to) -
                                     trees.costOfOne(value, before, to));
    return std::min(sum, trees.costOfOne(value, now, before));
  }

  std::vector<Cost> worstFetch(int value) const {
    const int layouts = problem.values[value].layouts;
    std::vector<Cost> worst(layouts, 0);
    for (int from = 0; from < layouts; ++from)
      for (int to = 0; stored[value][from] && to < layouts; ++to)
        worst[to] = std::max(worst[to], trees.costOfOne(value, from, to));
    return worst;
  }

  const Problem &problem;
  const RelayoutTrees &trees;
  std::vector<std::vector<char>> stored, read; // layouts that occur
  std::vector<std::vector<Cost>> fetch;
  int asked = -1;          // a value
  std::vector<Cost> known; // of it: what toStore() says, or -1
};

/// Whether `better` can replace `worse` in any choice and never cost more.
bool dominates(const Op &op, const Way &better, const Way &worse,
               Worst &worst) {
  Cost extra = better.cost;
  for (size_t k = 0; k < op.operands.size() && extra <= worse.cost; ++k) {
    int layout = better.layouts[k];
    if (layout != asStored && layout != worse.layouts[k])
      extra += worst.toRead(op.operands[k], layout);
  }
  for (size_t k = 0; k < op.results.size() && extra <= worse.cost; ++k) {
    size_t at = op.operands.size() + k;
    extra +=
        worst.toStore(op.results[k], better.layouts[at], worse.layouts[at]);
  }
  return extra <= worse.cost;
}

} // namespace

Reduction::Reduction(const Problem &whole) : reduced(whole) {
  for (const Op &op : whole.ops) {
    original.emplace_back(op.ways.size());
    std::iota(original.back().begin(), original.back().end(), 0);
  }
}

/// The ways of an op that others may be dominated by. Of thousands (tiles on
/// four operands) the cheapest: looking at all pairs would take longer than
/// what it spares, and what dominates another costs no more than it.
static std::vector<size_t> dominators(const Op &op) {
  constexpr size_t most = 256;
  std::vector<size_t> ways(op.ways.size());
  std::iota(ways.begin(), ways.end(), 0);
  if (ways.size() <= most)
    return ways;
  std::sort(ways.begin(), ways.end(), [&](size_t a, size_t b) {
    return std::tie(op.ways[a].cost, a) < std::tie(op.ways[b].cost, b);
  });
  ways.resize(most);
  return ways;
}

void Reduction::dropDominated(const RelayoutTrees &trees,
                              const Deadline &deadline) {
  Worst worst(reduced, trees);
  std::vector<std::vector<char>> keep;
  for (const Op &op : reduced.ops) {
    std::vector<char> stays(op.ways.size(), 1);
    const std::vector<size_t> some = dominators(op);
    deadline.count(static_cast<double>(some.size() * op.ways.size()));
    for (size_t i = 0; i < some.size() && !deadline.over(); ++i) {
      const size_t a = some[i];
      for (size_t b = 0; b < stays.size() && stays[a]; ++b)
        if (a != b && stays[b] && dominates(op, op.ways[a], op.ways[b], worst))
          stays[b] = 0;
    }
    keep.push_back(std::move(stays));
  }
  keepOnly(keep);
}

void Reduction::keepOnly(const std::vector<std::vector<char>> &keep) {
  for (size_t i = 0; i < keep.size(); ++i) {
    std::vector<Way> &ways = reduced.ops[i].ways;
    size_t kept = 0;
    for (size_t way = 0; way < ways.size(); ++way) {
      if (!keep[i][way])
        continue;
      if (kept != way) {
        ways[kept] = std::move(ways[way]);
        original[i][kept] = original[i][way];
      }
      ++kept;
    }
    ways.resize(kept);
    original[i].resize(kept);
  }
}

std::vector<int> Reduction::toWhole(std::vector<int> ways) const {
  for (size_t i = 0; i < ways.size(); ++i)
    ways[i] = original[i][ways[i]];
  return ways;
}

std::vector<int> Reduction::fromWhole(std::vector<int> ways) const {
  for (size_t i = 0; i < ways.size(); ++i) {
    auto at = std::find(original[i].begin(), original[i].end(), ways[i]);
    ways[i] = at == original[i].end()
                  ? 0
                  : static_cast<int>(at - original[i].begin());
  }
  return ways;
}

} // namespace npu::search
