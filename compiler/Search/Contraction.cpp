// SPDX-License-Identifier: Apache-2.0
#include "compiler/Search/Contraction.h"

#include <map>

namespace npu::search {

namespace {

/// Costs may be below 0 here.
Cost sum(Cost a, Cost b) {
  return a >= forbidden || b >= forbidden ? forbidden : add(a, b);
}

class Contractor {
public:
  Contractor(const CostNetwork &whole, size_t most)
      : most(most), costs(whole.variables), around(whole.variables.size()),
        gone(whole.variables.size(), 0) {
    for (const PairCost &pair : whole.pairs)
      link(pair.first, pair.second, pair.table);
  }

  Contraction run() {
    for (size_t v = 0; v < costs.size(); ++v)
      waiting.push_back(static_cast<int>(v));
    while (!waiting.empty()) {
      int v = waiting.back();
      waiting.pop_back();
      if (!gone[v])
        tryToRemove(v);
    }
    return collect();
  }

private:
  using Table = std::vector<Cost>; // by the owner's state, then the other's

  void link(int a, int b, const Table &table) {
    if (a == b) {
      for (size_t i = 0; i < costs[a].size(); ++i)
        costs[a][i] = sum(costs[a][i], table[i * costs[a].size() + i]);
      return;
    }
    const size_t rows = costs[a].size(), columns = costs[b].size();
    Table &there = around[a][b], &back = around[b][a];
    there.resize(rows * columns, 0);
    back.resize(rows * columns, 0);
    for (size_t i = 0; i < rows; ++i)
      for (size_t k = 0; k < columns; ++k)
        back[k * rows + i] = there[i * columns + k] =
            sum(there[i * columns + k], table[i * columns + k]);
  }

  void tryToRemove(int v) {
    constexpr size_t largest = 4096; // entries of a table
    const std::map<int, Table> &mine = around[v];
    if (costs[v].size() == 1 || mine.size() < 2)
      return foldInto(v);
    if (mine.size() > most)
      return;
    int a = mine.begin()->first, b = mine.rbegin()->first;
    if (costs[a].size() * costs[b].size() <= largest)
      bridge(v, a, b);
  }

  /// Each neighbour alone pays for the cheapest state.
  void foldInto(int v) {
    const size_t states = costs[v].size();
    for (auto &[other, table] : around[v]) {
      std::vector<Cost> &theirs = costs[other];
      for (size_t k = 0; k < theirs.size(); ++k) {
        Cost least = forbidden;
        for (size_t s = 0; s < states; ++s)
          least =
              std::min(least, states == 1 ? table[k]
                                          : sum(costs[v][s],
                                                table[s * theirs.size() + k]));
        theirs[k] = sum(theirs[k], least);
      }
    }
    if (states == 1 || around[v].empty())
      constant =
          sum(constant, *std::min_element(costs[v].begin(), costs[v].end()));
    remove(v);
  }

  /// Two neighbours together pay for the cheapest state.
  void bridge(int v, int a, int b) {
    const Table &toA = around[v][a], &toB = around[v][b];
    const size_t rows = costs[a].size(), columns = costs[b].size();
    Table both(rows * columns, forbidden);
    for (size_t s = 0; s < costs[v].size(); ++s)
      for (size_t i = 0; i < rows; ++i) {
        Cost here = sum(costs[v][s], toA[s * rows + i]);
        if (here >= forbidden)
          continue;
        for (size_t k = 0; k < columns; ++k)
          both[i * columns + k] =
              std::min(both[i * columns + k], sum(here, toB[s * columns + k]));
      }
    remove(v);
    link(a, b, both);
  }

  void remove(int v) {
    gone[v] = 1;
    for (auto &[other, table] : around[v]) {
      around[other].erase(v);
      waiting.push_back(other);
    }
    around[v].clear();
  }

  Contraction collect() {
    Contraction result;
    result.constant = constant;
    std::vector<int> now(costs.size(), -1);
    for (size_t v = 0; v < costs.size(); ++v)
      if (!gone[v]) {
        now[v] = static_cast<int>(result.kept.size());
        result.kept.push_back(static_cast<int>(v));
        result.network.variables.push_back(std::move(costs[v]));
      }
    for (int v : result.kept)
      for (auto &[other, table] : around[v])
        if (v < other)
          result.network.pairs.push_back(
              {now[v], now[other], std::move(table)});
    return result;
  }

  const size_t most;
  std::vector<std::vector<Cost>> costs;
  std::vector<std::map<int, Table>> around;
  std::vector<char> gone;
  std::vector<int> waiting;
  Cost constant = 0;
};

} // namespace

Contraction contract(const CostNetwork &whole, int neighbours) {
  return Contractor(whole, neighbours).run();
}

} // namespace npu::search
