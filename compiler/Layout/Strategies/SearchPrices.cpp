// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Strategies/SearchPrices.h"

#include "llvm/ADT/bit.h"

using namespace npu;

/// What a kernel's best tiles are counted as.
static constexpr double pricingSteps = 500;

/// All that relayouts of the value cost depends on, besides the target and the
/// memory that is left to them.
static Question questionOf(const ResidentProblem &problem, Value value,
                           ArrayRef<LayoutAttr> layouts) {
  Question question;
  question.add(value.getType().getAsOpaquePointer());
  question.add(problem.onChip().keyOf(value));
  question.add(layouts.size());
  for (LayoutAttr layout : layouts)
    question.add(layout);
  if (!problem->target.runs.empty())
    for (AxisRole role : problem->axes.of(value))
      question.add(static_cast<uint64_t>(role));
  return question;
}

const std::vector<LayoutCost> &
SearchPrices::relayouts(const ResidentProblem &problem, Value value,
                        ArrayRef<LayoutAttr> layouts) {
  Question question = questionOf(problem, value, layouts);
  auto [whole, isFirst] = alike.try_emplace(question.bytes());
  const auto count = [&] {
    problem->limit.count(pricingSteps *
                         static_cast<double>(layouts.size() * layouts.size()));
  };
  if (isFirst) {
    count();
    whole->second = relayoutCostsAlone(problem, value, layouts);
  }
  double reserved = problem.onChip().reservedFor(value);
  if (findsMemory(*problem, whole->second.needs, reserved))
    return whole->second.costs;
  question.add(llvm::bit_cast<uint64_t>(reserved));
  auto [at, isNew] = known.try_emplace(question.bytes());
  if (isNew) {
    count();
    at->second = relayoutCosts(problem, value, layouts);
  }
  return at->second;
}

static CheapestAlgorithms cheapestOf(const ResidentProblem &problem,
                                     const WaysOfOp &op) {
  CheapestAlgorithms cheapest(op.ways.size());
  for (auto [number, way] : llvm::enumerate(op.ways))
    if (op.firstAlike[number] == number) {
      problem->limit.count(pricingSteps);
      if (way.split) {
        const SplitKernels &kernels = *way.split->kernels;
        cheapest[number] = {
            kernels.cost(problem, op.slots->getOp(), way.split->layouts),
            &kernels.row()};
        continue;
      }
      cheapest[number] = cheapestAlgorithm(
          problem, op.slots->getOp(), countedLayouts(*op.slots, way.layouts),
          way.layouts);
    }
  return cheapest;
}

const CheapestAlgorithms &SearchPrices::ways(const ResidentProblem &problem,
                                             const WaysOfOp &op) {
  LayoutOpInterface one = op.slots->getOp();
  LayoutMemo *memo = problem->memoFor(one);
  if (!memo)
    return alone = cheapestOf(problem, op);
  return priced.of(circumstancesOf(problem, *memo, one).add(op.kind),
                   [&] { return cheapestOf(problem, op); });
}

/// Of the work that is left, for bounds.
constexpr double boundsPart = 0.25;

std::vector<ResidencyBound> npu::residencyBounds(const LayoutProblem &problem,
                                                 const OpWays &ways,
                                                 SearchPrices &prices) {
  ArrayRef<OnChipValues> choices = problem.residencies();
  std::vector<ResidencyBound> bounds;
  if (countsRelayouts(problem.objective)) {
    for (auto [number, choice] : llvm::enumerate(choices))
      if (!choice.limitsCopies() || choices.size() == 1)
        bounds.push_back({0, number});
    if (!bounds.empty())
      return bounds;
  }
  SmallVector<Operation *> ops;
  for (const WaysOfOp &op : ways.all())
    ops.push_back(op.slots && !op.slots->isView() ? op.slots->getOp()
                                                  : nullptr);
  // Of a network of thousands of ways they would take longer than the searches:
  // an op is then priced once, which is a bound of all choices, too.
  const search::Deadline until = problem.limit.share(boundsPart);
  const OnChipValues everything = choices.front().everything();
  return boundsOf(choices, ops, [&](size_t number, const OnChipValues &onChip) {
    const OnChipValues &priced = until.over() ? everything : onChip;
    const WaysOfOp &op = ways.all()[number];
    int64_t least = std::numeric_limits<int64_t>::max();
    for (const auto &way : prices.ways({problem, priced}, op))
      if (way)
        least = std::min(least, way->cost.of(problem.objective));
    return least == std::numeric_limits<int64_t>::max() ? 0 : least;
  });
}
