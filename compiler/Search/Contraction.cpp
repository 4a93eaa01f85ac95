// SPDX-License-Identifier: Apache-2.0
#include "compiler/Search/Contraction.h"

#include "compiler/Search/PairGraph.h"

namespace npu::search {

namespace {

class Contractor {
public:
  Contractor(const CostNetwork &whole, size_t most)
      : most(most), graph(whole) {}

  Contraction run() {
    for (int v = 0; v < graph.size(); ++v)
      waiting.push_back(v);
    while (!waiting.empty()) {
      int v = waiting.back();
      waiting.pop_back();
      if (!graph.isGone(v))
        tryToRemove(v);
    }
    return collect();
  }

private:
  void tryToRemove(int v) {
    constexpr size_t largest = 4096; // entries of a table
    const size_t neighbours = graph[v].around.size();
    if (graph[v].costs.size() == 1 || neighbours < 2)
      return fold(v);
    if (neighbours <= most && graph.bridgeSize(v) <= largest)
      wake(graph.bridge(v));
  }

  void fold(int v) {
    const std::vector<Cost> &costs = graph[v].costs;
    if (costs.size() == 1 || graph[v].around.empty())
      constant = sum(constant, *std::min_element(costs.begin(), costs.end()));
    wake(graph.fold(v));
  }

  /// Those who paid for it may be next.
  void wake(const PairGraph::Variable &removed) {
    for (auto &[other, table] : removed.around)
      waiting.push_back(other);
  }

  Contraction collect() {
    Contraction result;
    result.constant = constant;
    std::vector<int> now(graph.size(), -1);
    for (int v = 0; v < graph.size(); ++v)
      if (!graph.isGone(v)) {
        now[v] = static_cast<int>(result.kept.size());
        result.kept.push_back(v);
        result.network.variables.push_back(graph[v].costs);
      }
    for (int v : result.kept)
      for (auto &[other, table] : graph[v].around)
        if (v < other)
          result.network.pairs.push_back({now[v], now[other], table});
    return result;
  }

  const size_t most;
  PairGraph graph;
  std::vector<int> waiting;
  Cost constant = 0;
};

} // namespace

Contraction contract(const CostNetwork &whole, int neighbours) {
  return Contractor(whole, neighbours).run();
}

} // namespace npu::search
