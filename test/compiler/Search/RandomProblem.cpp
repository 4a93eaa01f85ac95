// SPDX-License-Identifier: Apache-2.0
#include "test/compiler/Search/RandomProblem.h"

#include "compiler/Search/RelayoutTrees.h"

#include <algorithm>
#include <random>

namespace npu::search::test {

namespace {

class Generator {
public:
  Generator(uint64_t seed, const RandomOptions &options)
      : random(seed), options(options) {}

  Problem run() {
    // What a problem is like is drawn once, so that extremes occur.
    uniform = chance(3);
    twinLayouts = chance(3);
    for (int i = 0; i < options.ops; ++i)
      addOp(i);
    return std::move(problem);
  }

private:
  int upTo(int most) { return static_cast<int>(random() % (most + 1)); }
  bool chance(int in) { return upTo(in - 1) == 0; }
  Cost cost() {
    return chance(4) ? 0 : upTo(static_cast<int>(options.moveCost));
  }

  int addValue() {
    Value value;
    value.layouts =
        twinLayouts ? options.layouts : 1 + upTo(options.layouts - 1);
    Cost same = cost();
    for (int from = 0; from < value.layouts; ++from)
      for (int to = 0; to < value.layouts; ++to)
        value.move.push_back(from == to ? 0 : uniform ? same : cost());
    problem.values.push_back(std::move(value));
    return static_cast<int>(problem.values.size()) - 1;
  }

  void addOp(int index) {
    Op op;
    int known = static_cast<int>(problem.values.size());
    int first = options.window > 0 ? std::max(0, known - options.window) : 0;
    if (index > 0 && known > 0 && !chance(8)) {
      int count = upTo(options.operands);
      for (int i = 0; i < count; ++i)
        op.operands.push_back(first + upTo(known - first - 1));
      // Everything so far, as in a DenseNet.
      if (chance(6)) {
        op.operands.clear();
        for (int value = first; value < known; ++value)
          op.operands.push_back(value);
      }
    }
    int results = chance(6) ? 2 : chance(8) ? 0 : 1;
    for (int i = 0; i < results; ++i)
      op.results.push_back(addValue());
    bool alike = twinLayouts && chance(2);
    int ways = alike ? options.layouts : 1 + upTo(options.ways - 1);
    for (int way = 0; way < ways; ++way)
      op.ways.push_back(makeWay(op, alike ? way : -1));
    problem.ops.push_back(std::move(op));
  }

  /// All in layout `layout`, or each in any if it is -1.
  Way makeWay(const Op &op, int layout) {
    Way way;
    way.cost = chance(5) ? 1000000 : cost();
    for (int value : op.operands)
      way.layouts.push_back(layout >= 0 ? layout
                            : chance(5) ? asStored
                                        : anyLayout(value));
    for (int value : op.results)
      way.layouts.push_back(layout >= 0 ? layout : anyLayout(value));
    return way;
  }

  int anyLayout(int value) { return upTo(problem.values[value].layouts - 1); }

  std::mt19937_64 random;
  const RandomOptions &options;
  Problem problem;
  bool uniform = false, twinLayouts = false;
};

} // namespace

Problem randomProblem(uint64_t seed, const RandomOptions &options) {
  return Generator(seed, options).run();
}

Cost bruteForce(const Problem &problem) {
  RelayoutTrees trees(problem);
  std::vector<int> ways(problem.ops.size(), 0);
  Cost least = totalCost(problem, trees, ways);
  for (size_t op = 0; op < ways.size();) {
    if (++ways[op] == static_cast<int>(problem.ops[op].ways.size())) {
      ways[op++] = 0;
      continue;
    }
    op = 0;
    least = std::min(least, totalCost(problem, trees, ways));
  }
  return least;
}

} // namespace npu::search::test
