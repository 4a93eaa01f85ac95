// SPDX-License-Identifier: Apache-2.0
#include "test/compiler/Search/RandomNetwork.h"

#include <random>

namespace npu::search::test {

CostNetwork randomNetwork(uint64_t seed) {
  std::mt19937_64 random(seed);
  auto upTo = [&](int most) { return static_cast<int>(random() % (most + 1)); };
  CostNetwork network;
  const int variables = 4 + upTo(4);
  for (int v = 0; v < variables; ++v) {
    network.variables.emplace_back();
    for (int states = 1 + upTo(3); states > 0; --states)
      network.variables.back().push_back(unit * upTo(20));
  }
  for (int links = 2 * variables + upTo(variables); links > 0; --links) {
    PairCost pair{upTo(variables - 1), upTo(variables - 1), {}};
    if (pair.first == pair.second)
      continue;
    int entries = network.size(pair.first) * network.size(pair.second);
    for (; entries > 0; --entries)
      pair.table.push_back(upTo(9) == 0 ? forbidden : unit * upTo(30));
    network.pairs.push_back(std::move(pair));
  }
  return network;
}

Cost costOf(const CostNetwork &network, const std::vector<int> &states) {
  Cost sum = 0;
  for (size_t v = 0; v < states.size(); ++v)
    sum = add(sum, network.variables[v][states[v]]);
  for (const PairCost &pair : network.pairs)
    sum = add(sum, pair.table[states[pair.first] * network.size(pair.second) +
                              states[pair.second]]);
  return sum;
}

Cost leastOf(const CostNetwork &network, int variable, int state) {
  std::vector<int> states(network.variables.size(), 0);
  Cost least = forbidden;
  for (size_t v = 0; v < states.size();) {
    if (variable < 0 || states[variable] == state)
      least = std::min(least, costOf(network, states));
    for (v = 0; v < states.size(); ++v) {
      if (++states[v] < network.size(static_cast<int>(v)))
        break;
      states[v] = 0;
    }
  }
  return least;
}

} // namespace npu::search::test
