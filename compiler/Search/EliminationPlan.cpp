// SPDX-License-Identifier: Apache-2.0
#include "compiler/Search/Elimination.h"

#include <cmath>
#include <queue>

namespace npu::search {

namespace {

/// Who shares a table with whom, while variables go one by one.
class Adjacency {
public:
  explicit Adjacency(const CostNetwork &network)
      : neighbours(network.variables.size()), bits(network.variables.size()),
        weight(network.variables.size()) {
    for (size_t v = 0; v < bits.size(); ++v)
      weight[v] = bits[v] = std::log2(network.size(static_cast<int>(v)));
    for (const PairCost &pair : network.pairs)
      if (network.size(pair.first) > 1 && network.size(pair.second) > 1) {
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
  double ownBits(int v) const { return bits[v]; }
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

} // namespace

EliminationPlan planElimination(const CostNetwork &network,
                                int64_t tableEntries) {
  Adjacency adjacency(network);
  struct Candidate {
    double bits;
    int variable;
    // The queue's top is the smallest; among equals the first in graph order.
    bool operator<(const Candidate &other) const {
      return bits != other.bits ? bits > other.bits : variable > other.variable;
    }
  };
  std::priority_queue<Candidate> queue;
  std::vector<char> gone(network.variables.size(), 0);
  for (size_t v = 0; v < gone.size(); ++v) {
    gone[v] = network.variables[v].size() <= 1;
    if (!gone[v])
      queue.push(
          {adjacency.tableBits(static_cast<int>(v)), static_cast<int>(v)});
  }
  EliminationPlan plan;
  while (!queue.empty()) {
    Candidate best = queue.top();
    queue.pop();
    if (gone[best.variable] || best.bits != adjacency.tableBits(best.variable))
      continue; // an outdated entry; the current one is in the queue, too
    double entries = 1;
    for (int other : adjacency.around(best.variable))
      entries *= network.size(other);
    double withOwn = entries * network.size(best.variable);
    plan.largestTable = std::max(plan.largestTable, withOwn);
    plan.allTables += entries;
    if (plan.largestTable > static_cast<double>(tableEntries) ||
        plan.allTables > 4 * static_cast<double>(tableEntries)) {
      plan.fits = false;
      return plan;
    }
    plan.order.push_back(best.variable);
    gone[best.variable] = 1;
    const std::vector<int> changed = adjacency.around(best.variable);
    adjacency.eliminate(best.variable);
    for (int other : changed)
      queue.push({adjacency.tableBits(other), other});
  }
  return plan;
}

} // namespace npu::search
