// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Strategies/RelayoutPrices.h"

#include <tuple>

using namespace npu;

bool RelayoutPrices::Question::operator<(const Question &other) const {
  return std::tie(type, onChip, reserved, layouts, axes) <
         std::tie(other.type, other.onChip, other.reserved, other.layouts,
                  other.axes);
}

const std::vector<LayoutCost> &
RelayoutPrices::of(const LayoutProblem &problem, Value value,
                   ArrayRef<LayoutAttr> layouts) {
  Question question;
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
