// SPDX-License-Identifier: Apache-2.0
#include "compiler/Search/Assignment.h"

#include <deque>

namespace npu::search {

Assignment::Assignment(const Problem &problem, const RelayoutTrees &trees,
                       std::vector<int> start)
    : problem(problem), trees(trees), chosen(std::move(start)),
      stored(problem.values.size(), 0), wanted(problem.values.size(), 0),
      neighbours(problem.ops.size()) {
  firstLayout.push_back(0);
  for (const Value &value : problem.values)
    firstLayout.push_back(firstLayout.back() + value.layouts);
  readers.resize(firstLayout.back(), 0);
  bool greedy = chosen.empty();
  chosen.resize(problem.ops.size(), 0);
  std::vector<int> producer(problem.values.size(), -1);
  for (size_t i = 0; i < problem.ops.size(); ++i) {
    int op = static_cast<int>(i);
    for (int value : problem.ops[i].results)
      producer[value] = op;
    for (int value : problem.ops[i].operands) {
      neighbours[producer[value]].push_back(op);
      neighbours[i].push_back(producer[value]);
    }
    if (greedy)
      chosen[i] = cheapest(op);
    place(op, chosen[i], 1);
  }
}

void Assignment::place(int index, int wayIndex, int change) {
  const Op &op = problem.ops[index];
  const Way &way = op.ways[wayIndex];
  for (size_t k = 0; k < op.operands.size(); ++k)
    if (int layout = way.layouts[k]; layout != asStored) {
      int value = op.operands[k];
      bool read = (readersOf(value, layout) += change) > 0;
      wanted[value] &= ~setOf(layout);
      wanted[value] |= read ? setOf(layout) : 0;
    }
  for (size_t k = 0; k < op.results.size(); ++k)
    stored[op.results[k]] = way.layouts[op.operands.size() + k];
}

Cost Assignment::costOf(int index, int wayIndex) {
  const Op &op = problem.ops[index];
  const Way &way = op.ways[wayIndex];
  Cost cost = way.cost;
  std::vector<std::pair<int, LayoutSet>> before;
  for (size_t k = 0; k < op.operands.size(); ++k) {
    int value = op.operands[k], layout = way.layouts[k];
    if (layout == asStored || (wanted[value] & setOf(layout)))
      continue;
    before.push_back({value, wanted[value]});
    cost -= trees.cost(value, stored[value], wanted[value]);
    wanted[value] |= setOf(layout);
    cost += trees.cost(value, stored[value], wanted[value]);
  }
  for (; !before.empty(); before.pop_back())
    wanted[before.back().first] = before.back().second;
  for (size_t k = 0; k < op.results.size(); ++k) {
    int value = op.results[k];
    cost +=
        trees.cost(value, way.layouts[op.operands.size() + k], wanted[value]);
  }
  return cost;
}

int Assignment::cheapest(int op) {
  int best = chosen[op];
  Cost least = costOf(op, best);
  for (size_t way = 0; way < problem.ops[op].ways.size(); ++way) {
    Cost cost = costOf(op, static_cast<int>(way));
    if (cost < least) {
      least = cost;
      best = static_cast<int>(way);
    }
  }
  return best;
}

void Assignment::descend(const Deadline &deadline) {
  std::deque<int> queue;
  std::vector<char> queued(problem.ops.size(), 1);
  for (size_t op = 0; op < problem.ops.size(); ++op)
    queue.push_back(static_cast<int>(op));
  while (!queue.empty() && !deadline.over()) {
    int op = queue.front();
    const Op &one = problem.ops[op];
    deadline.count(static_cast<double>(
        one.ways.size() * (one.operands.size() + one.results.size() + 1)));
    queue.pop_front();
    queued[op] = 0;
    place(op, chosen[op], -1);
    int best = cheapest(op);
    bool changed = best != chosen[op];
    chosen[op] = best;
    place(op, best, 1);
    if (!changed)
      continue;
    for (int other : neighbours[op])
      if (!queued[other]) {
        queued[other] = 1;
        queue.push_back(other);
      }
  }
}

} // namespace npu::search
