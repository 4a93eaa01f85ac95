// SPDX-License-Identifier: Apache-2.0
#include "compiler/Search/PairGraph.h"

namespace npu::search {

PairGraph::PairGraph(const CostNetwork &network)
    : variables(network.variables.size()), gone(network.variables.size(), 0) {
  for (size_t v = 0; v < variables.size(); ++v)
    variables[v].costs = network.variables[v];
  for (const PairCost &pair : network.pairs)
    link(pair.first, pair.second, pair.table);
}

void PairGraph::link(int a, int b, const Table &table) {
  std::vector<Cost> &costs = variables[a].costs;
  if (a == b) {
    for (size_t i = 0; i < costs.size(); ++i)
      costs[i] = sum(costs[i], table[i * costs.size() + i]);
    return;
  }
  const size_t rows = costs.size(), columns = variables[b].costs.size();
  Table &there = variables[a].around[b], &back = variables[b].around[a];
  there.resize(rows * columns, 0);
  back.resize(rows * columns, 0);
  for (size_t i = 0; i < rows; ++i)
    for (size_t k = 0; k < columns; ++k)
      back[k * rows + i] = there[i * columns + k] =
          sum(there[i * columns + k], table[i * columns + k]);
}

void PairGraph::settle(int v, int state) {
  Variable &settled = variables[v];
  const size_t states = settled.costs.size();
  settled.costs = {settled.costs[state]};
  for (auto &[other, table] : settled.around) {
    const size_t theirs = variables[other].costs.size();
    table = Table(table.begin() + state * theirs,
                  table.begin() + (state + 1) * theirs);
    Table &back = variables[other].around[v];
    for (size_t k = 0; k < theirs; ++k)
      back[k] = back[k * states + state];
    back.resize(theirs);
  }
}

PairGraph::Variable PairGraph::fold(int v) {
  const std::vector<Cost> &costs = variables[v].costs;
  const size_t states = costs.size();
  for (auto &[other, table] : variables[v].around) {
    std::vector<Cost> &theirs = variables[other].costs;
    for (size_t k = 0; k < theirs.size(); ++k) {
      Cost least = forbidden;
      for (size_t s = 0; s < states; ++s)
        least = std::min(
            least, states == 1 ? table[k]
                               : sum(costs[s], table[s * theirs.size() + k]));
      theirs[k] = sum(theirs[k], least);
    }
  }
  return remove(v);
}

size_t PairGraph::bridgeSize(int v) const {
  const std::map<int, Table> &around = variables[v].around;
  return variables[around.begin()->first].costs.size() *
         variables[around.rbegin()->first].costs.size();
}

PairGraph::Variable PairGraph::bridge(int v) {
  Variable removed = remove(v);
  auto &[a, toA] = *removed.around.begin();
  auto &[b, toB] = *removed.around.rbegin();
  const size_t rows = variables[a].costs.size();
  const size_t columns = variables[b].costs.size();
  Table both(rows * columns, forbidden);
  for (size_t s = 0; s < removed.costs.size(); ++s)
    for (size_t i = 0; i < rows; ++i) {
      Cost here = sum(removed.costs[s], toA[s * rows + i]);
      if (here >= forbidden)
        continue;
      for (size_t k = 0; k < columns; ++k)
        both[i * columns + k] =
            std::min(both[i * columns + k], sum(here, toB[s * columns + k]));
    }
  link(a, b, both);
  return removed;
}

PairGraph::Variable PairGraph::remove(int v) {
  gone[v] = 1;
  for (auto &[other, table] : variables[v].around)
    variables[other].around.erase(v);
  return std::move(variables[v]);
}

} // namespace npu::search
