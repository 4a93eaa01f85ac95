// SPDX-License-Identifier: Apache-2.0
#include "compiler/Search/Messages.h"

#include <cmath>

namespace npu::search {

Messages::Messages(const CostNetwork &network, Cost most)
    : network(network), most(std::min(most, Cost(1) << 58)), order(orderOf()),
      nodes(order.size()), pairs(network.pairs.size()) {
  std::vector<int> position(order.size());
  size_t largest = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const std::vector<Cost> &states = network.variables[order[i]];
    position[order[i]] = static_cast<int>(i);
    nodes[i].costs = numbers.size();
    nodes[i].states = static_cast<int>(states.size());
    largest = std::max(largest, states.size());
    for (Cost cost : states)
      numbers.push_back(static_cast<double>(std::min(cost, this->most)));
  }
  given.resize(largest);
  fresh.resize(largest);
  addTables(position);
  for (Node &node : nodes)
    node.share = 1.0 / static_cast<double>(std::max<size_t>(
                           {1, node.before.size(), node.after.size()}));
}

/// Neighbours are near each other in the order: messages go far in one pass.
std::vector<int> Messages::orderOf() const {
  std::vector<std::vector<int>> around(network.variables.size());
  for (const PairCost &pair : network.pairs) {
    around[pair.first].push_back(pair.second);
    around[pair.second].push_back(pair.first);
  }
  std::vector<int> result;
  std::vector<char> listed(around.size(), 0);
  for (size_t root = 0; root < around.size(); ++root) {
    size_t next = result.size();
    if (!listed[root])
      result.push_back(static_cast<int>(root));
    listed[root] = 1;
    for (; next < result.size(); ++next)
      for (int other : around[result[next]]) {
        if (!listed[other])
          result.push_back(other);
        listed[other] = 1;
      }
  }
  return result;
}

void Messages::addTables(const std::vector<int> &position) {
  std::vector<std::vector<int>> ahead(order.size()), behind(order.size());
  for (size_t p = 0; p < pairs.size(); ++p) {
    auto [near, far] = std::minmax(position[network.pairs[p].first],
                                   position[network.pairs[p].second]);
    ahead[near].push_back(static_cast<int>(p));
    behind[far].push_back(static_cast<int>(p));
  }
  auto link = [&](int p, int to, size_t table, bool fromFirst) {
    auto [toFirst, toSecond] = pairs[p];
    return Link{table,
                fromFirst ? toFirst : toSecond,
                fromFirst ? toSecond : toFirst,
                nodes[to].costs,
                nodes[to].states,
                to};
  };
  for (size_t i = 0; i < order.size(); ++i)
    for (int p : ahead[i]) {
      auto [first, second, exact] = network.pairs[p];
      bool fromFirst = first == order[i];
      pairs[p].toFirst = numbers.size();
      pairs[p].toSecond = pairs[p].toFirst + network.size(first);
      numbers.resize(pairs[p].toSecond + network.size(second), 0);
      nodes[i].after.push_back(link(p, position[fromFirst ? second : first],
                                    addTable(network.pairs[p], fromFirst),
                                    fromFirst));
    }
  for (size_t i = order.size(); i-- > 0;)
    for (int p : behind[i]) {
      auto [first, second, exact] = network.pairs[p];
      bool fromFirst = first == order[i];
      nodes[i].before.push_back(link(p, position[fromFirst ? second : first],
                                     addTable(network.pairs[p], fromFirst),
                                     fromFirst));
    }
}

/// The table by states of the first variable, or of the second.
size_t Messages::addTable(const PairCost &pair, bool fromFirst) {
  const size_t at = numbers.size();
  const size_t rows = network.size(pair.first),
               columns = network.size(pair.second);
  numbers.resize(at + rows * columns);
  for (size_t i = 0; i < rows; ++i)
    for (size_t k = 0; k < columns; ++k)
      numbers[at + (fromFirst ? i * columns + k : k * rows + i)] =
          static_cast<double>(std::min(pair.table[i * columns + k], most));
  return at;
}

/// to[k] = the least of given[s] - in[s] + table[s, k].
static void leastSums(const double *__restrict given,
                      const double *__restrict in,
                      const double *__restrict table, int states, int others,
                      double *__restrict to) {
  double base = given[0] - in[0];
  for (int k = 0; k < others; ++k)
    to[k] = table[k] + base;
  for (int s = 1; s < states; ++s) {
    table += others;
    base = given[s] - in[s];
    for (int k = 0; k < others; ++k) {
      double sum = table[k] + base;
      to[k] = sum < to[k] ? sum : to[k];
    }
  }
}

/// What the variable gives goes to the pair, and from there to the other as
/// far as it holds for each of its states.
void Messages::send(const Node &node, const Link &link) {
  double *to = fresh.data(), *all = numbers.data();
  leastSums(given.data(), all + link.in, all + link.table, node.states,
            link.states, to);
  double least = to[0];
  for (int k = 1; k < link.states; ++k)
    least = to[k] < least ? to[k] : least;
  double *__restrict theirs = all + link.costs;
  double *__restrict out = all + link.out;
  for (int k = 0; k < link.states; ++k) {
    const double message = to[k] - least;
    theirs[k] += message - out[k];
    out[k] = message;
  }
}

/// If `keep` is false, what is given is taken from the variable.
void Messages::visit(const Node &node, const std::vector<Link> &links,
                     bool keep) {
  double *mine = numbers.data() + node.costs;
  for (int s = 0; s < node.states; ++s)
    given[s] = node.share * mine[s];
  for (const Link &link : links) {
    send(node, link);
    for (int s = 0; !keep && s < node.states; ++s) {
      mine[s] -= given[s];
      numbers[link.in + s] -= given[s];
    }
  }
}

void Messages::pass() {
  for (const Node &node : nodes)
    visit(node, node.after, true);
  for (size_t i = nodes.size(); i-- > 0;)
    visit(nodes[i], nodes[i].before, true);
}

std::vector<int> Messages::choose() const {
  std::vector<int> places(order.size(), 0), states(order.size(), 0);
  for (size_t i = 0; i < order.size(); ++i) {
    const Node &node = nodes[i];
    const double *mine = numbers.data() + node.costs;
    std::vector<double> cost(mine, mine + node.states);
    for (const Link &link : node.before)
      for (int s = 0; s < node.states; ++s)
        cost[s] += numbers[link.table + s * link.states + places[link.other]] -
                   numbers[link.in + s];
    places[i] = static_cast<int>(std::min_element(cost.begin(), cost.end()) -
                                 cost.begin());
    states[order[i]] = places[i];
  }
  return states;
}

CostNetwork Messages::moved() const {
  using Wide = __int128;
  CostNetwork result;
  std::vector<std::vector<Wide>> sums;
  for (const std::vector<Cost> &states : network.variables) {
    sums.emplace_back();
    for (Cost cost : states)
      sums.back().push_back(std::min(cost, most));
  }
  for (size_t p = 0; p < pairs.size(); ++p) {
    result.pairs.push_back(network.pairs[p]);
    auto &[first, second, table] = result.pairs.back();
    const size_t rows = network.size(first), columns = network.size(second);
    for (Cost &cost : table)
      cost = std::min(cost, most);
    for (size_t i = 0; i < rows; ++i) {
      const Cost message = std::llround(numbers[pairs[p].toFirst + i]);
      sums[first][i] += message;
      for (size_t k = 0; k < columns; ++k)
        table[i * columns + k] -= message;
    }
    for (size_t k = 0; k < columns; ++k) {
      const Cost message = std::llround(numbers[pairs[p].toSecond + k]);
      sums[second][k] += message;
      for (size_t i = 0; i < rows; ++i)
        table[i * columns + k] -= message;
    }
  }
  // What a state costs beyond `most` more than another does not matter.
  for (const std::vector<Wide> &states : sums) {
    const Wide cap = *std::min_element(states.begin(), states.end()) + most;
    result.variables.emplace_back();
    for (Wide cost : states)
      result.variables.back().push_back(static_cast<Cost>(std::min(cost, cap)));
  }
  return result;
}

Messages::Bound Messages::bound() const {
  // Costs go from the variables into the pairs, whose minima then count.
  Messages spent(*this);
  for (const Node &node : spent.nodes)
    spent.visit(node, node.after, false);
  const CostNetwork exact = spent.moved();
  Bound result;
  for (const std::vector<Cost> &states : exact.variables) {
    Cost least = *std::min_element(states.begin(), states.end());
    result.least += least;
    result.withState.emplace_back();
    for (Cost cost : states)
      result.withState.back().push_back(cost - least);
  }
  for (const PairCost &pair : exact.pairs) {
    std::vector<Cost> &first = result.withState[pair.first],
                      &second = result.withState[pair.second];
    Cost least = *std::min_element(pair.table.begin(), pair.table.end());
    result.least += least;
    std::vector<Cost> columns(second.size(), forbidden);
    for (size_t i = 0; i < first.size(); ++i) {
      Cost row = forbidden;
      for (size_t k = 0; k < second.size(); ++k) {
        Cost cost = pair.table[i * second.size() + k];
        row = std::min(row, cost);
        columns[k] = std::min(columns[k], cost);
      }
      first[i] = std::min(most, first[i] + row - least);
    }
    for (size_t k = 0; k < second.size(); ++k)
      second[k] = std::min(most, second[k] + columns[k] - least);
  }
  for (std::vector<Cost> &states : result.withState)
    for (Cost &cost : states)
      cost = result.least + cost;
  return result;
}

} // namespace npu::search
