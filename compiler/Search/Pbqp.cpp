// SPDX-License-Identifier: Apache-2.0
#include "compiler/Search/Pbqp.h"

#include "compiler/Search/PairGraph.h"
#include "compiler/Search/RelayoutTrees.h"

#include <numeric>
#include <set>

namespace npu::search {

namespace {

class Reducer {
public:
  explicit Reducer(const CostNetwork &network)
      : graph(network), keys(network.variables.size()) {
    choice.states.resize(network.variables.size(), -1);
  }

  PbqpChoice run() {
    for (int v = 0; v < graph.size(); ++v)
      enqueue(v);
    while (!queue.empty()) {
      auto [key, v] = *queue.begin();
      if (key <= 2)
        reduce(v);
      else
        guess(queue.rbegin()->second);
    }
    for (; !removed.empty(); removed.pop_back())
      if (auto &[v, variable] = removed.back(); choice.states[v] < 0)
        choice.states[v] = stateOf(variable);
    return std::move(choice);
  }

private:
  /// How many neighbours a node has; more than two where an edge between its
  /// two would be too large.
  int keyOf(int v) const {
    constexpr size_t largest = size_t(1) << 16; // entries of a table
    size_t neighbours = graph[v].around.size();
    if (graph[v].costs.size() == 1)
      return 0;
    if (neighbours == 2 && graph.bridgeSize(v) > largest)
      return 3;
    return static_cast<int>(neighbours);
  }

  void enqueue(int v) {
    keys[v] = keyOf(v);
    queue.insert({keys[v], v});
  }

  void reduce(int v) {
    bool isBridge = keys[v] == 2;
    take(v, isBridge ? graph.bridge(v) : graph.fold(v));
  }

  void guess(int v) {
    choice.states[v] = cheapest(graph[v]);
    graph.settle(v, choice.states[v]);
    take(v, graph.fold(v));
    ++choice.guessed;
  }

  void take(int v, PairGraph::Variable variable) {
    queue.erase({keys[v], v});
    for (auto &[other, table] : variable.around) {
      queue.erase({keys[other], other});
      enqueue(other);
    }
    removed.push_back({v, std::move(variable)});
  }

  /// The state that is the cheapest if each neighbour takes what is best
  /// beside it, whatever else that costs.
  int cheapest(const PairGraph::Variable &node) const {
    std::vector<Cost> costs = node.costs;
    for (auto &[other, table] : node.around) {
      const std::vector<Cost> &theirs = graph[other].costs;
      for (size_t s = 0; s < costs.size(); ++s) {
        Cost least = forbidden;
        for (size_t k = 0; k < theirs.size(); ++k)
          least = std::min(least, sum(theirs[k], table[s * theirs.size() + k]));
        costs[s] = sum(costs[s], least);
      }
    }
    return firstLeast(costs);
  }

  /// The state that is the cheapest beside those of its neighbours, which were
  /// all taken away later.
  int stateOf(const PairGraph::Variable &node) const {
    std::vector<Cost> costs = node.costs;
    for (auto &[other, table] : node.around) {
      const size_t theirs = table.size() / costs.size();
      for (size_t s = 0; s < costs.size(); ++s)
        costs[s] = sum(costs[s], table[s * theirs + choice.states[other]]);
    }
    return firstLeast(costs);
  }

  static int firstLeast(const std::vector<Cost> &costs) {
    return static_cast<int>(std::min_element(costs.begin(), costs.end()) -
                            costs.begin());
  }

  PairGraph graph;
  std::vector<int> keys;
  std::set<std::pair<int, int>> queue; // key, node
  std::vector<std::pair<int, PairGraph::Variable>> removed;
  PbqpChoice choice; // -1: not known yet
};

/// Who makes each value, and as which of its results.
struct Made {
  int op = -1;
  size_t place = 0;
};

/// The ways that are nodes' states: of each op the cheapest, at most this many,
/// because an edge has a number for each pair of them.
constexpr size_t mostStates = 1024;

std::vector<int> statesOf(const Op &op) {
  std::vector<int> states(op.ways.size());
  std::iota(states.begin(), states.end(), 0);
  if (states.size() <= mostStates)
    return states;
  auto byCost = [&](int a, int b) {
    return std::pair(op.ways[a].cost, a) < std::pair(op.ways[b].cost, b);
  };
  std::partial_sort(states.begin(), states.begin() + mostStates, states.end(),
                    byCost);
  states.resize(mostStates);
  return states;
}

/// The programme, and what its states mean. A node for each op, an edge for
/// each operand. Each reader pays for itself: that readers may share a copy
/// cannot be said of pairs.
class Programme {
public:
  explicit Programme(const Problem &problem)
      : problem(problem), trees(problem), made(problem.values.size()) {
    for (const Op &op : problem.ops)
      add(op);
  }

  PbqpChoice solve() const {
    PbqpChoice choice = solvePbqp(network);
    for (size_t i = 0; i < states.size(); ++i)
      choice.states[i] = states[i][choice.states[i]];
    return choice;
  }

private:
  void add(const Op &op) {
    const int node = static_cast<int>(states.size());
    states.push_back(statesOf(op));
    std::vector<Cost> &costs = network.variables.emplace_back();
    for (int way : states.back())
      costs.push_back(op.ways[way].cost);
    for (size_t k = 0; k < op.operands.size(); ++k)
      network.pairs.push_back(edgeOf(made[op.operands[k]], node, k));
    for (size_t k = 0; k < op.results.size(); ++k)
      made[op.results[k]] = {node, k};
  }

  PairCost edgeOf(Made from, int reader, size_t operand) const {
    const Op &maker = problem.ops[from.op], &taker = problem.ops[reader];
    const int value = taker.operands[operand];
    PairCost edge{from.op, reader, {}};
    edge.table.reserve(states[from.op].size() * states[reader].size());
    for (int stores : states[from.op])
      for (int reads : states[reader])
        edge.table.push_back(moving(
            value,
            maker.ways[stores].layouts[maker.operands.size() + from.place],
            taker.ways[reads].layouts[operand]));
    return edge;
  }

  Cost moving(int value, int stored, int read) const {
    return read == asStored || read == stored
               ? 0
               : trees.cost(value, stored, setOf(read));
  }

  const Problem &problem;
  RelayoutTrees trees;
  std::vector<Made> made;               // by value
  std::vector<std::vector<int>> states; // by op: its ways
  CostNetwork network;
};

} // namespace

PbqpChoice solvePbqp(const CostNetwork &network) {
  return Reducer(network).run();
}

PbqpChoice chooseByPbqp(const Problem &problem) {
  return Programme(problem).solve();
}

} // namespace npu::search
