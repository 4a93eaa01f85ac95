// SPDX-License-Identifier: Apache-2.0
#include "compiler/Search/LayoutSearch.h"

#include <algorithm>

namespace npu::search {

namespace {

constexpr Cost totalLimit = Cost(1) << 62;
constexpr int mostLayouts = 64; // sets of layouts are the bits of a number

std::string place(const char *kind, int64_t index) {
  return std::string(kind) + " " + std::to_string(index);
}

std::string checkValue(const Problem &problem, size_t index) {
  const Value &value = problem.values[index];
  std::string where = place("value", index);
  if (value.layouts < 1)
    return where + " has " + std::to_string(value.layouts) +
           " layouts; it needs at least one";
  if (value.layouts > mostLayouts)
    return where + " has " + std::to_string(value.layouts) +
           " layouts; at most " + std::to_string(mostLayouts) +
           " are looked at";
  size_t layouts = value.layouts;
  if (value.move.size() != layouts * layouts)
    return where + " has " + std::to_string(value.move.size()) +
           " relayout costs; " + std::to_string(layouts) +
           " layouts need one for each pair";
  for (size_t from = 0; from < layouts; ++from)
    for (size_t to = 0; to < layouts; ++to) {
      Cost cost = value.move[from * layouts + to];
      if (cost < 0)
        return where + " has the negative relayout cost " +
               std::to_string(cost);
      if (from == to && cost != 0)
        return where + " pays " + std::to_string(cost) +
               " for staying in layout " + std::to_string(from) +
               "; that must be 0";
    }
  return {};
}

std::string checkWay(const Problem &problem, const Op &op, const Way &way,
                     const std::string &where) {
  size_t operands = op.operands.size(), results = op.results.size();
  if (way.cost < 0)
    return where + " has the negative cost " + std::to_string(way.cost);
  if (way.layouts.size() != operands + results)
    return where + " has " + std::to_string(way.layouts.size()) +
           " layouts; the op has " + std::to_string(operands + results) +
           " operands and results";
  for (size_t i = 0; i < way.layouts.size(); ++i) {
    bool isOperand = i < operands;
    int value = isOperand ? op.operands[i] : op.results[i - operands];
    int layout = way.layouts[i];
    if (isOperand && layout == asStored)
      continue;
    if (layout < 0 || layout >= problem.values[value].layouts)
      return where + " gives " + place("value", value) + " the layout " +
             std::to_string(layout) + "; it has " +
             std::to_string(problem.values[value].layouts) +
             (isOperand ? "" : ", and a result is stored in one of them");
  }
  return {};
}

/// `producer` holds the op that made each value so far, or -1.
std::string checkOp(const Problem &problem, int index,
                    std::vector<int> &producer) {
  const Op &op = problem.ops[index];
  std::string where = place("op", index);
  int values = static_cast<int>(problem.values.size());
  for (int value : op.operands) {
    if (value < 0 || value >= values)
      return where + " reads " + place("value", value) + " of " +
             std::to_string(values);
    if (producer[value] < 0)
      return where + " reads " + place("value", value) +
             " before an op makes it";
  }
  for (int value : op.results) {
    if (value < 0 || value >= values)
      return where + " makes " + place("value", value) + " of " +
             std::to_string(values);
    if (producer[value] >= 0)
      return where + " makes " + place("value", value) + ", as op " +
             std::to_string(producer[value]) + " does";
    producer[value] = index;
  }
  if (op.ways.empty())
    return where + " has no way to run";
  for (size_t way = 0; way < op.ways.size(); ++way) {
    std::string wrong =
        checkWay(problem, op, op.ways[way], place("way", way) + " of " + where);
    if (!wrong.empty())
      return wrong;
  }
  return {};
}

/// Whether even the sum of everything that can be paid stays below 2^62.
bool totalFits(const Problem &problem) {
  __int128 total = 0;
  for (const Op &op : problem.ops) {
    Cost most = 0;
    for (const Way &way : op.ways)
      most = std::max(most, way.cost);
    total += most;
  }
  for (const Value &value : problem.values) {
    __int128 most = 0;
    for (int from = 0; from < value.layouts; ++from) {
      __int128 sum = 0;
      for (int to = 0; to < value.layouts; ++to)
        sum += value.move[from * value.layouts + to];
      most = std::max(most, sum);
    }
    total += most;
  }
  return total < totalLimit;
}

} // namespace

std::string check(const Problem &problem) {
  for (size_t value = 0; value < problem.values.size(); ++value)
    if (std::string wrong = checkValue(problem, value); !wrong.empty())
      return wrong;
  std::vector<int> producer(problem.values.size(), -1);
  for (size_t op = 0; op < problem.ops.size(); ++op)
    if (std::string wrong = checkOp(problem, static_cast<int>(op), producer);
        !wrong.empty())
      return wrong;
  for (size_t value = 0; value < producer.size(); ++value)
    if (producer[value] < 0)
      return place("value", value) + " is the result of no op";
  if (!totalFits(problem))
    return "the costs add up to 2^62 or more";
  return {};
}

} // namespace npu::search
