// SPDX-License-Identifier: Apache-2.0
#include "bench/search/Families.h"

#include "bench/search/Builder.h"

namespace npu::search::bench {

namespace {

/// Tensors shrink as a network goes on, and grow again in the next one.
Cost sizeAt(Builder &graph) {
  return Cost(4096) << (7 - graph.opCount() / 50 % 8);
}

Problem chain(int ops, Costs costs, uint64_t seed) {
  Builder graph(costs, seed);
  int x = graph.input(sizeAt(graph), true);
  while (graph.opCount() + 1 < ops) {
    x = graph.heavy(x, sizeAt(graph));
    x = graph.agnostic({x}, graph.bytesOf(x));
  }
  graph.output(x);
  return graph.take();
}

Problem residual(int ops, Costs costs, uint64_t seed) {
  Builder graph(costs, seed);
  int x = graph.input(sizeAt(graph), true);
  while (graph.opCount() + 1 < ops) {
    Cost size = sizeAt(graph);
    int y = graph.heavy(x, size / 4);
    y = graph.agnostic({y}, size / 4);
    y = graph.heavy(graph.heavy(y, size / 4), size);
    if (graph.bytesOf(x) != size)
      x = graph.heavy(x, size);
    x = graph.agnostic({graph.agnostic({x, y}, size)}, size);
  }
  graph.output(x);
  return graph.take();
}

/// Blocks in which every layer reads all before it.
Problem denseBlocks(int layers, int ops, Costs costs, uint64_t seed) {
  Builder graph(costs, seed);
  int x = graph.input(sizeAt(graph), true);
  while (graph.opCount() + 1 < ops) {
    std::vector<int> all = {x};
    Cost size = sizeAt(graph);
    for (int i = 0; i < layers && graph.opCount() + 1 < ops; ++i) {
      int y = graph.agnostic(all, graph.bytesOf(x) + i * size / 8);
      y = graph.heavy(y, size / 2);
      all.push_back(graph.heavy(y, size / 8));
    }
    x = graph.heavy(graph.agnostic(all, size), size / 2);
  }
  graph.output(x);
  return graph.take();
}

Problem dense(int ops, Costs costs, uint64_t seed) {
  return denseBlocks(48, ops, costs, seed);
}

Problem denseLong(int ops, Costs costs, uint64_t seed) {
  return denseBlocks(500, ops, costs, seed);
}

/// A cell reads the two cells before it; each of its nodes adds two ops on
/// anything the cell knows, and the cell joins its nodes.
Problem nas(int ops, Costs costs, uint64_t seed) {
  Builder graph(costs, seed);
  int before = graph.input(sizeAt(graph), true), last = before;
  while (graph.opCount() + 1 < ops) {
    Cost size = sizeAt(graph);
    std::vector<int> known = {graph.heavy(before, size),
                              graph.heavy(last, size)};
    std::vector<int> nodes;
    for (int node = 0; node < 5; ++node) {
      std::vector<int> sides;
      for (int side = 0; side < 2; ++side) {
        int from = known[graph.upTo(static_cast<int>(known.size()) - 1)];
        sides.push_back(graph.upTo(2) == 0 ? from : graph.heavy(from, size));
      }
      nodes.push_back(graph.agnostic(sides, size));
      known.push_back(nodes.back());
    }
    before = last;
    last = graph.agnostic(nodes, 5 * size);
  }
  graph.output(last);
  return graph.take();
}

/// Down `depth` levels and up again, joined to the same level on the way.
Problem unets(int depth, int ops, Costs costs, uint64_t seed) {
  Builder graph(costs, seed);
  int x = graph.input(sizeAt(graph), true);
  while (graph.opCount() + 1 < ops) {
    std::vector<int> levels;
    for (int level = 0; level < depth; ++level) {
      Cost size = Cost(4096) << (depth - level) % 8;
      x = graph.heavy(graph.heavy(x, size), size);
      levels.push_back(x);
      x = graph.agnostic({x}, size / 4);
    }
    for (int level = depth; level-- > 0;) {
      Cost size = graph.bytesOf(levels[level]);
      x = graph.agnostic({graph.heavy(x, size), levels[level]}, 2 * size);
      x = graph.heavy(graph.heavy(x, size), size);
    }
  }
  graph.output(x);
  return graph.take();
}

Problem unet(int ops, Costs costs, uint64_t seed) {
  return unets(5, ops, costs, seed);
}

Problem unetDeep(int ops, Costs costs, uint64_t seed) {
  return unets(ops / 7, ops, costs, seed);
}

/// Every layer reads one mask and one position table.
Problem transformer(int ops, Costs costs, uint64_t seed) {
  Builder graph(costs, seed);
  constexpr Cost size = 1 << 20;
  int mask = graph.input(1 << 14), table = graph.input(1 << 16);
  int x = graph.input(size, true);
  while (graph.opCount() + 1 < ops) {
    int normal = graph.agnostic({x}, size);
    int query = graph.agnostic({graph.heavy(normal, size), table}, size);
    int key = graph.agnostic({graph.heavy(normal, size), table}, size);
    int value = graph.heavy(normal, size);
    int score = graph.agnostic({graph.product(query, key, size), mask}, size);
    int mixed = graph.product(graph.heavy(score, size), value, size);
    x = graph.agnostic({x, graph.heavy(mixed, size)}, size);
    int wide = graph.heavy(graph.agnostic({x}, size), 4 * size);
    wide = graph.heavy(graph.agnostic({wide}, 4 * size), size);
    x = graph.agnostic({x, wide}, size);
  }
  graph.output(x);
  return graph.take();
}

/// Ops read anything before them.
Problem anything(int ops, Costs costs, uint64_t seed) {
  Builder graph(costs, seed);
  for (int i = 0; i < 4; ++i)
    graph.input(sizeAt(graph), i % 2 == 0);
  while (graph.opCount() < ops) {
    auto any = [&] { return graph.upTo(graph.opCount() - 1); };
    int kind = graph.upTo(9);
    if (kind < 5)
      graph.heavy(any(), sizeAt(graph));
    else if (kind < 9)
      graph.agnostic({any(), any()}, sizeAt(graph));
    else
      graph.agnostic({any(), any(), any()}, sizeAt(graph));
  }
  return graph.take();
}

} // namespace

const std::vector<Family> &families() {
  static const std::vector<Family> all = {
      {"chain", "heavy and agnostic ops in turn", chain, true},
      {"residual", "bottleneck blocks with a shortcut", residual, true},
      {"dense", "blocks of 48 layers, each reads all before it", dense, true},
      {"dense-long", "the same, blocks of 500 layers", denseLong, true},
      {"nas", "cells of five nodes that read two cells", nas, true},
      {"unet", "five levels down and up, joined", unet, true},
      {"unet-deep", "one U of all ops", unetDeep, true},
      {"transformer", "attention with a shared mask", transformer, true},
      {"random", "ops read anything before them", anything, false},
  };
  return all;
}

} // namespace npu::search::bench
