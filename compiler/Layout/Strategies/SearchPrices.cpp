// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Strategies/SearchPrices.h"

#include <tuple>

using namespace npu;

bool SearchPrices::Relayouts::operator<(const Relayouts &other) const {
  return std::tie(type, onChip, reserved, layouts, axes) <
         std::tie(other.type, other.onChip, other.reserved, other.layouts,
                  other.axes);
}

const std::vector<LayoutCost> &
SearchPrices::relayouts(const LayoutProblem &problem, Value value,
                        ArrayRef<LayoutAttr> layouts) {
  Relayouts question;
  question.type = value.getType().getAsOpaquePointer();
  for (LayoutAttr layout : layouts)
    question.layouts.push_back(layout.getAsOpaquePointer());
  if (!problem.target.runs.empty())
    for (AxisRole role : problem.axes.of(value))
      question.axes += static_cast<char>(role);
  question.onChip = problem.onChip().contains(value);
  question.reserved = problem.onChip().reservedFor(value);
  auto [at, isNew] = known.try_emplace(std::move(question));
  if (isNew)
    at->second = relayoutCosts(problem, value, layouts);
  return at->second;
}

static CheapestAlgorithms cheapestOf(const LayoutProblem &problem,
                                     const WaysOfOp &op) {
  CheapestAlgorithms cheapest(op.ways.size());
  for (auto [number, way] : llvm::enumerate(op.ways))
    if (op.firstAlike[number] == number)
      cheapest[number] = cheapestAlgorithm(
          problem, op.slots->getOp(), countedLayouts(*op.slots, way.layouts),
          way.layouts);
  return cheapest;
}

const CheapestAlgorithms &SearchPrices::ways(const LayoutProblem &problem,
                                             const WaysOfOp &op) {
  LayoutOpInterface one = op.slots->getOp();
  LayoutMemo *memo = problem.memoFor(one);
  if (!memo)
    return alone = cheapestOf(problem, op);
  return priced.of(circumstancesOf(problem, *memo, one).add(op.kind),
                   [&] { return cheapestOf(problem, op); });
}
