// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Strategies/SearchPrices.h"

#include "compiler/Dialect/NPU/Work.h"
#include "compiler/Layout/Problem/Alternatives.h"
#include "compiler/Layout/Problem/Storage.h"

#include "llvm/ADT/bit.h"

using namespace npu;

/// What a kernel's best tiles are counted as.
static constexpr double pricingSteps = 700;

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
    at->second = relayoutCosts(problem, value, layouts).costs;
  }
  return at->second;
}

static std::optional<PricedAlgorithm> priceOfWay(const ResidentProblem &problem,
                                                 const WaysOfOp &op,
                                                 const OpWay &way) {
  problem->limit.count(pricingSteps);
  LayoutOpInterface one = op.slots->getOp();
  if (way.split)
    return way.split->kernels->price(problem, one, way.split->layouts);
  return cheapestAlgorithm(problem, one, countedLayouts(*op.slots, way.layouts),
                           way.layouts);
}

SearchPrices::PricedWays SearchPrices::priceOf(const ResidentProblem &problem,
                                               const WaysOfOp &op,
                                               const PricedWays *before) {
  PricedWays all{CheapestAlgorithms(op.ways.size()),
                 problem.onChip().reserved(op.slots->getOp())};
  for (auto [number, way] : llvm::enumerate(op.ways)) {
    if (op.firstAlike[number] != number)
      continue;
    std::optional<PricedAlgorithm> &cheapest = all.cheapest[number];
    if (before)
      cheapest = before->cheapest[number];
    if (!cheapest || !findsMemory(*problem, cheapest->needs, all.reserved))
      cheapest = priceOfWay(problem, op, way);
    if (cheapest)
      all.needs = std::max(all.needs, cheapest->needs);
  }
  return all;
}

SearchPrices::Kind SearchPrices::makeKind(const LayoutProblem &problem,
                                          const WaysOfOp &op) {
  LayoutOpInterface one = op.slots->getOp();
  Kind kind;
  kind.values.resize(one->getNumOperands() + one->getNumResults());
  kind.isPlain = llvm::none_of(
      alternativesFor(one, problem.target),
      [](const Alternative *alternative) { return alternative->isSet(); });
  std::vector<llvm::DenseSet<LayoutAttr>> seen(kind.values.size());
  for (const OpWay &way : op.ways) {
    kind.isPlain &= !way.split;
    for (auto [index, layout] :
         llvm::enumerate(countedLayouts(*op.slots, way.layouts))) {
      ReadOrWritten &value = kind.values[index];
      if (!layout)
        value.inAnyLayout = true;
      else if (seen[index].insert(layout).second)
        value.bytes.push_back(
            storedBytes(tensorType(valueAt(one, index)), layout));
    }
  }
  for (ReadOrWritten &value : kind.values)
    llvm::sort(value.bytes);
  return kind;
}

/// All that the ways' costs depend on but for the memory that is left to them:
/// of a value on the chip, which of its layouts fit in its place.
Question SearchPrices::waysQuestion(const ResidentProblem &problem,
                                    LayoutMemo &memo, const WaysOfOp &op) {
  LayoutOpInterface one = op.slots->getOp();
  auto [kind, isNew] = kinds.try_emplace(op.kind);
  if (isNew)
    kind->second = makeKind(*problem, op);
  const OnChipValues &onChip = problem.onChip();
  Question question = surroundingsOf(memo, one).add(op.kind);
  for (auto [index, known] : llvm::enumerate(kind->second.values)) {
    Value value = valueAt(one, index);
    const OnChipSlot *slot = onChip.slotOf(value);
    if (!slot || !kind->second.isPlain) {
      question.add(onChip.keyOf(value));
      continue;
    }
    const bool isFree = onChip.isForNothing();
    const auto *beyond = isFree ? known.bytes.end()
                                : llvm::upper_bound(known.bytes, slot->place);
    question.add(2 * static_cast<uint64_t>(beyond - known.bytes.begin()) +
                 (known.inAnyLayout && (isFree || slot->isWide)));
  }
  return question;
}

const CheapestAlgorithms &SearchPrices::ways(const ResidentProblem &problem,
                                             const WaysOfOp &op) {
  LayoutOpInterface one = op.slots->getOp();
  LayoutMemo *memo = problem->memoFor(one);
  if (!memo)
    return (alone = priceOf(problem, op)).cheapest;
  std::deque<PricedWays> &all =
      priced[waysQuestion(problem, *memo, op).bytes()];
  const double reserved = problem.onChip().reserved(one);
  const PricedWays *before = nullptr; // what the least memory was left to
  for (const PricedWays &ways : all) {
    if (ways.reserved > reserved)
      continue;
    if (ways.reserved == reserved ||
        findsMemory(*problem, ways.needs, reserved))
      return ways.cheapest;
    if (!before || before->reserved < ways.reserved)
      before = &ways;
  }
  return all.emplace_back(priceOf(problem, op, before)).cheapest;
}

double npu::pricingStepsOf(const OpWays &ways) {
  llvm::DenseSet<unsigned> kinds;
  double steps = 0;
  for (const WaysOfOp &op : ways.all())
    if (op.slots && !op.slots->isView() && kinds.insert(op.kind).second)
      for (auto [number, first] : llvm::enumerate(op.firstAlike))
        steps += first == number ? pricingSteps : 0;
  return steps;
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
