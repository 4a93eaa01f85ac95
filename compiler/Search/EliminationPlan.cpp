// SPDX-License-Identifier: Apache-2.0
#include "compiler/Search/Elimination.h"

#include <cmath>
#include <numeric>
#include <queue>
#include <random>

namespace npu::search {

namespace {

/// Who shares a table with whom, while variables go one by one.
class Adjacency {
public:
  Adjacency(const CostNetwork &network, const std::vector<char> &frozen)
      : neighbours(network.variables.size()), bits(network.variables.size()),
        weight(network.variables.size()) {
    for (size_t v = 0; v < bits.size(); ++v)
      weight[v] = bits[v] = std::log2(network.size(static_cast<int>(v)));
    auto stays = [&](int v) {
      return network.size(v) <= 1 || (!frozen.empty() && frozen[v]);
    };
    for (const PairCost &pair : network.pairs)
      if (!stays(pair.first) && !stays(pair.second)) {
        neighbours[pair.first].push_back(pair.second);
        neighbours[pair.second].push_back(pair.first);
      }
    for (size_t v = 0; v < bits.size(); ++v) {
      std::vector<int> &mine = neighbours[v];
      std::sort(mine.begin(), mine.end());
      mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
      for (int other : mine)
        weight[v] += bits[other];
    }
  }

  /// The logarithm of the table that eliminating `v` builds.
  double tableBits(int v) const { return weight[v]; }
  const std::vector<int> &around(int v) const { return neighbours[v]; }

  /// Takes `v` out and makes its neighbours a clique.
  void eliminate(int v) {
    const std::vector<int> clique = std::move(neighbours[v]);
    neighbours[v].clear();
    std::vector<int> merged;
    for (int a : clique) {
      std::vector<int> &mine = neighbours[a];
      merged.clear();
      mergeClique(mine, clique, a, v, merged);
      mine.swap(merged);
      weight[a] -= bits[v];
    }
  }

  /// Takes `v` out and links nothing.
  void remove(int v) {
    for (int a : neighbours[v]) {
      std::vector<int> &mine = neighbours[a];
      mine.erase(std::lower_bound(mine.begin(), mine.end(), v));
      weight[a] -= bits[v];
    }
    neighbours[v].clear();
  }

private:
  /// merged = (mine + clique) without `self` and `gone`, all sorted.
  void mergeClique(const std::vector<int> &mine, const std::vector<int> &clique,
                   int self, int gone, std::vector<int> &merged) {
    size_t i = 0;
    for (int other : clique) {
      while (i < mine.size() && mine[i] < other) {
        if (mine[i] != gone)
          merged.push_back(mine[i]);
        ++i;
      }
      bool known = i < mine.size() && mine[i] == other;
      i += known;
      if (other == self)
        continue;
      merged.push_back(other);
      if (!known)
        weight[self] += bits[other];
    }
    for (; i < mine.size(); ++i)
      if (mine[i] != gone)
        merged.push_back(mine[i]);
  }

  std::vector<std::vector<int>> neighbours;
  std::vector<double> bits, weight;
};

/// Variables in the order of their tables, smallest first, while they change.
class Queue {
public:
  void push(int variable, double bits) { queue.push({bits, variable}); }

  /// The variable whose table is smallest, among equals the first in graph
  /// order; -1: none is left.
  int pop(const Adjacency &adjacency, const std::vector<char> &gone) {
    while (!queue.empty()) {
      Candidate best = queue.top();
      queue.pop();
      // Entries may be outdated; then the current one is in the queue, too.
      if (!gone[best.variable] &&
          best.bits == adjacency.tableBits(best.variable))
        return best.variable;
    }
    return -1;
  }

private:
  struct Candidate {
    double bits;
    int variable;
    bool operator<(const Candidate &other) const {
      return bits != other.bits ? bits > other.bits : variable > other.variable;
    }
  };
  std::priority_queue<Candidate> queue;
};

/// One pass over the graph: who is left, and what it would cost to take it.
class Planner {
public:
  Planner(const CostNetwork &network, const std::vector<char> &frozen)
      : network(network), gone(frozen), adjacency(network, frozen) {
    gone.resize(network.variables.size(), 0);
    for (size_t i = 0; i < gone.size(); ++i) {
      int v = static_cast<int>(i);
      gone[i] = gone[i] || network.size(v) <= 1;
      if (!gone[i])
        queue.push(v, adjacency.tableBits(v));
    }
  }

  int next() { return queue.pop(adjacency, gone); }
  bool isGone(int v) const { return gone[v]; }
  double tableBits(int v) const { return adjacency.tableBits(v); }

  /// Entries of the table that `v` leaves behind.
  double entries(int v) const {
    double product = 1;
    for (int other : adjacency.around(v))
      product *= network.size(other);
    return product;
  }

  void eliminate(int v) {
    const std::vector<int> changed = adjacency.around(v);
    gone[v] = 1;
    adjacency.eliminate(v);
    requeue(changed);
  }

  void freeze(int v) {
    const std::vector<int> changed = adjacency.around(v);
    gone[v] = 1;
    adjacency.remove(v);
    requeue(changed);
  }

  void requeue(const std::vector<int> &changed) {
    for (int v : changed)
      queue.push(v, adjacency.tableBits(v));
  }

private:
  const CostNetwork &network;
  std::vector<char> gone;
  Adjacency adjacency;
  Queue queue;
};

/// Of each variable one that stands for all it is connected with.
std::vector<int> connectedParts(const CostNetwork &network,
                                const std::vector<char> &frozen) {
  std::vector<int> part(network.variables.size());
  std::iota(part.begin(), part.end(), 0);
  auto root = [&](int v) {
    while (part[v] != v)
      v = part[v] = part[part[v]];
    return v;
  };
  auto stays = [&](int v) {
    return network.size(v) <= 1 || (!frozen.empty() && frozen[v]);
  };
  for (const PairCost &pair : network.pairs)
    if (!stays(pair.first) && !stays(pair.second))
      part[root(pair.first)] = root(pair.second);
  for (size_t v = 0; v < part.size(); ++v)
    part[v] = root(static_cast<int>(v));
  return part;
}

} // namespace

EliminationPlan planElimination(const CostNetwork &network,
                                int64_t tableEntries,
                                const std::vector<char> &frozen) {
  Planner planner(network, frozen);
  EliminationPlan plan;
  std::vector<int> part = connectedParts(network, frozen);
  std::vector<char> tooWide(part.size(), 0);
  // Many small tables are no reason to give up.
  const double allEntries =
      4 * static_cast<double>(std::max<int64_t>(tableEntries, 1 << 20));
  for (int v = planner.next(); v >= 0; v = planner.next()) {
    if (tooWide[part[v]])
      continue;
    double entries = planner.entries(v);
    double withOwn = entries * network.size(v);
    plan.largestTable = std::max(plan.largestTable, withOwn);
    plan.allTables += entries;
    if (withOwn > static_cast<double>(tableEntries) ||
        plan.allTables > allEntries) {
      plan.fits = false;
      tooWide[part[v]] = 1;
      plan.allTables -= entries;
      continue;
    }
    plan.work += withOwn;
    plan.order.push_back(v);
    planner.eliminate(v);
  }
  plan.order.erase(std::remove_if(plan.order.begin(), plan.order.end(),
                                  [&](int v) { return tooWide[part[v]]; }),
                   plan.order.end());
  return plan;
}

std::vector<char> freezeSome(const CostNetwork &network, int candidates,
                             int64_t tableEntries, uint64_t seed) {
  Planner planner(network, {});
  std::vector<char> frozen(network.variables.size(), 0);
  std::mt19937_64 random(seed);
  // Of a few variables drawn by chance, the one with the largest table goes:
  // it stands for most of the width.
  std::vector<int> left(candidates);
  std::iota(left.begin(), left.end(), 0);
  constexpr int tries = 8;
  for (int v = planner.next(); v >= 0; v = planner.next()) {
    if (planner.entries(v) * network.size(v) <=
        static_cast<double>(tableEntries)) {
      planner.eliminate(v);
      continue;
    }
    planner.requeue({v});
    int worst = -1;
    for (int i = 0; i < tries && !left.empty();) {
      size_t at = random() % left.size();
      int other = left[at];
      if (planner.isGone(other)) {
        left[at] = left.back();
        left.pop_back();
        continue;
      }
      ++i;
      if (worst < 0 || planner.tableBits(other) > planner.tableBits(worst))
        worst = other;
    }
    worst = worst < 0 ? v : worst;
    frozen[worst] = 1;
    planner.freeze(worst);
  }
  return frozen;
}

} // namespace npu::search
