// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Strategies/SearchProblem.h"

#include "compiler/Dialect/NPU/OutputCopy.h"
#include "compiler/Layout/Problem/Alternatives.h"
#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/Names.h"
#include "compiler/Layout/Problem/Placement.h"
#include "compiler/Layout/Problem/Storage.h"

#include <array>
#include <cmath>

using namespace npu;

SearchProblem::SearchProblem(const ResidentProblem &problem,
                             const OpWays &known, SearchPrices &prices,
                             int64_t most)
    : problem(problem), candidates(known.candidates()), prices(prices) {
  for (const WaysOfOp &op : known.all()) {
    problem->limit.count(static_cast<double>(op.ways.size() + 20));
    addOp(op);
    sum += leastOf(ops.back());
    if (sum > most)
      return;
  }
  priceBeyond(most);
  weigh();
  trees = std::make_unique<search::RelayoutTrees>(built);
}

// Building.

void SearchProblem::addValue(Value value) {
  ArrayRef<LayoutAttr> layouts = candidates.of(value);
  numberOf[value] = static_cast<int>(built.values.size());
  search::Value number;
  number.layouts = static_cast<int>(layouts.size());
  built.values.push_back(number);
  values.push_back(value);
  moves.push_back(&prices.relayouts(problem, value, layouts));
}

/// A state is left in the order in which the next run finds it: so that both
/// are one choice, its input gives its order as a value of its own, and its
/// output reads that.
void SearchProblem::addStateOrder(const WaysOfOp &op) {
  const auto number = static_cast<int>(built.values.size());
  search::Value order;
  order.layouts = static_cast<int>(candidates.of(op.state).size());
  built.values.push_back(order);
  values.push_back(op.state);
  limited.push_back(std::make_unique<std::vector<LayoutCost>>(
      static_cast<size_t>(order.layouts) * order.layouts));
  moves.push_back(limited.back().get());
  stateOrders[op.state] = {number, limited.back().get()};
}

/// Where both sides differ, what is left has to be relaid. Said to cost a
/// little more than that does, it is never cheaper than to relay it for the
/// output; a choice that does differ means the relayout.
void SearchProblem::priceStateOrder(const WaysOfOp &op) {
  Value before = op.state, after = op.read->get();
  ArrayRef<LayoutAttr> layouts = candidates.of(before);
  const size_t count = layouts.size(), others = candidates.of(after).size();
  const std::vector<LayoutCost> &own = *moves[numberOf.lookup(before)];
  const std::vector<LayoutCost> &left = *moves[numberOf.lookup(after)];
  std::vector<LayoutCost> &costs = *stateOrders.lookup(before).moves;
  const LayoutCost least = {1, 1, {1, 1}};
  for (size_t from = 0; from < count; ++from)
    for (size_t to = 0; to < count; ++to) {
      if (from == to)
        continue;
      int source = candidates.find(after, layouts[to]);
      int target = candidates.find(after, layouts[from]);
      costs[from * count + to] = source >= 0 && target >= 0
                                     ? left[source * others + target]
                                     : own[to * count + from];
      costs[from * count + to] += least;
    }
}

void SearchProblem::addOp(const WaysOfOp &known) {
  search::Op number;
  auto read = [&](Value value) {
    number.operands.push_back(numberOf.lookup(value));
  };
  auto write = [&](Value value) {
    addValue(value);
    number.results.push_back(numberOf.lookup(value));
  };
  if (known.input) {
    write(known.input);
    if (known.state) {
      addStateOrder(known);
      number.results.push_back(stateOrders.lookup(known.state).number);
    }
  } else if (known.read) {
    read(known.read->get());
    if (known.state) {
      priceStateOrder(known);
      number.operands.push_back(stateOrders.lookup(known.state).number);
    }
  } else
    for (const Slot &slot : known.slots->all())
      if (!slot.constant)
        slot.result ? write(slot.value) : read(slot.value);
  built.ops.push_back(std::move(number));
  ops.push_back({&known, pricedWays(known)});
}

std::vector<SearchProblem::NamedWay>
SearchProblem::pricedWays(const WaysOfOp &op) const {
  std::vector<NamedWay> ways;
  if (!op.slots || op.slots->isView()) {
    for (const OpWay &way : op.ways)
      ways.push_back({&way, movingCost(op, way)});
  } else {
    const CheapestAlgorithms &cheapest = prices.ways(problem, op);
    for (auto [number, way] : llvm::enumerate(op.ways))
      if (const auto &first = cheapest[op.firstAlike[number]])
        ways.push_back({&way, first->cost, first->algorithm});
  }
  // Nothing meets the demands: the source's order, which the check of the
  // finished function refuses with the demand's name.
  // A view may stand as it is, if it moves its data.
  if (op.slots && ways.empty())
    ways.push_back({&op.source, movingCost(op, op.source)});
  return ways;
}

LayoutCost SearchProblem::movingCost(const WaysOfOp &op,
                                     const OpWay &way) const {
  if (!way.moves)
    return {};
  LayoutOpInterface mover = op.slots->getOp();
  LayoutAttr from = way.layouts.front(), to = way.layouts.back();
  KernelCost cost = viewCost(problem, mover, from, to);
  if (isCopy(mover) && sameStorage(mover->getResult(0), from, to))
    return {0, 0, cost};
  return {1, storedBytes(tensorType(mover->getResult(0)), to), cost};
}

// Weighing: the objective first, then two tie-breaks, as one whole number.

/// The parts of a cost in the order in which they count.
static std::array<int64_t, 3> ranked(const LayoutCost &cost,
                                     Objective objective) {
  int64_t cycles = cost.kernels.cycles;
  if (objective == Objective::Time)
    return {cycles, cost.bytes, cost.count};
  return {cost.of(objective), cycles,
          objective == Objective::Bytes ? cost.count : cost.bytes};
}

search::Cost SearchProblem::weighed(const LayoutCost &cost) const {
  std::array<int64_t, 3> parts = ranked(cost, problem->objective);
  return parts[0] * weights[0] + (parts[1] >> shift) * weights[1] +
         parts[2] * weights[2];
}

std::pair<int64_t, int64_t>
SearchProblem::comparable(search::Cost total) const {
  int64_t tie = weights[1] ? total % weights[0] / weights[1] : 0;
  return {primary(total), tie << shift};
}

int64_t SearchProblem::leastOf(const NamedOp &op) const {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (const NamedWay &way : op.ways)
    least = std::min(least, way.cost.of(problem->objective));
  return least;
}

/// What a cost counts as that says that something cannot be done.
static void replaceBeyond(LayoutCost &cost, Objective objective, int64_t with) {
  if (cost.kernels.of(objective) >= cost::doesNotFit)
    cost = {0, 0, {with, with}};
}

/// A choice that cannot be executed must cost more than any that can, and not
/// so much that numbers get too large for ties to be broken.
void SearchProblem::priceBeyond(int64_t most) {
  const Objective objective = problem->objective;
  if (!problem.onChip().limitsCopies() || countsRelayouts(objective))
    return;
  beyond = 1;
  auto addLargest = [&](auto &&costs) {
    int64_t largest = 0;
    for (const LayoutCost &cost : costs)
      if (int64_t one = cost.kernels.of(objective); one < cost::doesNotFit)
        largest = std::max(largest, one);
    return largest;
  };
  for (const NamedOp &op : ops)
    beyond += addLargest(
        llvm::map_range(op.ways, [](const NamedWay &way) -> const LayoutCost & {
          return way.cost;
        }));
  // Each of a value's layouts may be wanted.
  for (const std::vector<LayoutCost> *costs : moves)
    for (size_t layout = 1; layout * layout < costs->size(); ++layout)
      beyond += addLargest(*costs);
  if (most < cost::doesNotFit)
    beyond = std::max(beyond, most + 1);
  for (NamedOp &op : ops)
    for (NamedWay &way : op.ways)
      replaceBeyond(way.cost, objective, beyond);
  for (const std::vector<LayoutCost> *&costs : moves) {
    if (llvm::none_of(*costs, [&](const LayoutCost &cost) {
          return cost.kernels.of(objective) >= cost::doesNotFit;
        }))
      continue;
    limited.push_back(std::make_unique<std::vector<LayoutCost>>(*costs));
    for (LayoutCost &cost : *limited.back())
      replaceBeyond(cost, objective, beyond);
    costs = limited.back().get();
  }
}

void SearchProblem::weigh() {
  // What any choice can cost at most, in each part.
  std::array<double, 3> most = {0, 0, 0};
  auto addLargest = [&](auto &&costs) {
    std::array<int64_t, 3> largest = {0, 0, 0};
    for (const LayoutCost &cost : costs) {
      std::array<int64_t, 3> parts = ranked(cost, problem->objective);
      for (int i = 0; i < 3; ++i)
        largest[i] = std::max(largest[i], parts[i]);
    }
    for (int i = 0; i < 3; ++i)
      most[i] += static_cast<double>(largest[i]);
  };
  for (const NamedOp &op : ops)
    addLargest(
        llvm::map_range(op.ways, [](const NamedWay &way) -> const LayoutCost & {
          return way.cost;
        }));
  for (const std::vector<LayoutCost> *costs : moves)
    for (size_t layout = 1; layout * layout < costs->size(); ++layout)
      addLargest(*costs);

  const double limit = 0x1p61;
  weights[2] = 1;
  weights[1] = static_cast<search::Cost>(std::min(limit, most[2])) + 1;
  if ((most[0] + 1) * (most[1] + 1) * (most[2] + 1) > limit) {
    weights[2] = 0;
    weights[1] = 1;
    while ((most[0] + 1) * (std::ldexp(most[1], -shift) + 1) > limit &&
           shift < 62)
      ++shift;
  }
  weights[0] =
      (static_cast<search::Cost>(most[1]) >> shift) * weights[1] + weights[1];

  for (auto [number, costs] : llvm::zip(built.values, moves))
    for (const LayoutCost &cost : *costs)
      number.move.push_back(weighed(cost));
  for (auto [number, op] : llvm::zip(built.ops, ops))
    for (const NamedWay &way : op.ways)
      number.ways.push_back({weighed(way.cost), way.way->places});
}

// Naming.

ArrayRef<LayoutAttr> SearchProblem::layoutsOf(size_t value) const {
  return candidates.of(values[value]);
}

std::pair<std::string, std::string> SearchProblem::namesOf(size_t op) const {
  const WaysOfOp &known = *ops[op].known;
  if (known.input)
    return {"input",
            boundaryName(problem->function,
                         cast<BlockArgument>(known.input).getArgNumber(),
                         /*output=*/false)};
  if (known.isOutput())
    return {"output",
            boundaryName(problem->function, known.read->getOperandNumber(),
                         /*output=*/true)};
  auto one = known.read ? cast<LayoutOpInterface>(known.read->getOwner())
                        : known.slots->getOp();
  return {one.getDemandName().str(), opName(one)};
}

// Between choices and plans.

bool SearchProblem::matches(const WaysOfOp &op, const OpWay &way,
                            const LayoutPlan &plan) const {
  if (way.split) // nobody else splits an op
    return false;
  auto same = [](Value value, LayoutAttr wanted, LayoutAttr found) {
    return !wanted ||
           (found && wanted.isEquivalent(found, tensorType(value).getShape()));
  };
  if (op.read)
    return same(op.read->get(), way.layouts[0], plan.layoutRead(*op.read));
  if (op.input)
    return same(op.input, way.layouts[0], plan.produced.lookup(op.input));
  for (auto [index, slot] : llvm::enumerate(op.slots->all())) {
    LayoutAttr found =
        slot.result ? plan.produced.lookup(slot.value)
                    : plan.layoutRead(op.slots->getOp()->getOpOperand(index));
    if (!slot.constant && !same(slot.value, way.layouts[index], found))
      return false;
  }
  return true;
}

std::vector<int> SearchProblem::waysOf(const LayoutPlan &plan) const {
  std::vector<int> chosen;
  for (const NamedOp &op : ops) {
    // Two signatures may take the same layouts: the plan means the cheaper.
    std::optional<size_t> best;
    problem->limit.count(10 * static_cast<double>(op.ways.size()));
    for (auto [index, way] : llvm::enumerate(op.ways))
      if (matches(*op.known, *way.way, plan) &&
          (!best || ranked(way.cost, problem->objective) <
                        ranked(op.ways[*best].cost, problem->objective)))
        best = index;
    if (!best)
      return {};
    chosen.push_back(static_cast<int>(*best));
  }
  return chosen;
}

/// What each copy starts from, where that is not the value for all of them.
void SearchProblem::planCopies(const std::vector<int> &chosen,
                               LayoutPlan &plan) const {
  std::vector<search::Copies> copies = search::copiesOf(built, chosen);
  for (auto [value, number] : numberOf) {
    if (!trees->shares(number))
      continue;
    ArrayRef<LayoutAttr> layouts = candidates.of(value);
    SmallVector<CopyStep, 2> steps;
    for (search::Relayout relayout :
         trees->tree(number, copies[number].stored, copies[number].wanted))
      steps.push_back({layouts[relayout.from], layouts[relayout.to]});
    if (!steps.empty())
      plan.copies[value] = std::move(steps);
  }
}

LayoutPlan SearchProblem::planOf(const std::vector<int> &chosen) const {
  LayoutPlan plan;
  Block &block = problem->function->getRegion(0).front();
  for (auto constant : block.getOps<ConstantOp>())
    plan.produced[constant.getResult()] = rowMajor(constant.getResult());
  for (OpOperand &output : block.getTerminator()->getOpOperands())
    if (LayoutAttr held = problem->outputs[output.getOperandNumber()])
      plan.read[&output] = held; // of constants, too, which nothing searches
  for (auto [op, chosenWay] : llvm::zip(ops, chosen)) {
    const NamedWay &way = op.ways[chosenWay];
    const OpLayouts &layouts = way.way->layouts;
    const OpSlots *slots = op.known->slots;
    if (op.known->input)
      plan.produced[op.known->input] = layouts[0];
    if (op.known->read && layouts[0])
      plan.read[op.known->read] = layouts[0];
    if (!slots)
      continue;
    if (const auto &split = way.way->split) {
      PlannedSplit &planned = plan.splits[slots->getOp()];
      planned = {way.algorithm, split->layouts.stored, split->layouts.read};
      if (auto place = split->kernels->placeBetween(problem, slots->getOp(),
                                                    split->layouts)) {
        planned.place = place->place;
        planned.copies = place->copies;
      }
    } else if (way.algorithm)
      plan.algorithms[slots->getOp()] = way.algorithm;
    for (auto [index, slot] : llvm::enumerate(slots->all())) {
      if (slot.result) {
        plan.produced[slot.value] = layouts[index];
        continue;
      }
      if (!layouts[index])
        continue;
      OpOperand &operand = slots->getOp()->getOpOperand(index);
      plan.read[&operand] = layouts[index];
      if (!slot.independent && candidates.hasSpellings(slot.value))
        plan.spelled.insert(&operand);
    }
  }
  planCopies(chosen, plan);
  return plan;
}

std::vector<int64_t>
SearchProblem::tileBytes(const std::vector<int> &chosen) const {
  std::vector<int64_t> bytes;
  for (auto [op, chosenWay] : llvm::zip(ops, chosen)) {
    const OpSlots *slots = op.known->slots;
    const NamedWay &way = op.ways[chosenWay];
    if (const auto &split = way.way->split) {
      bytes.push_back(
          split->kernels->tileBytes(problem, slots->getOp(), split->layouts));
      continue;
    }
    const bool isKernel =
        slots && !slots->isView() && !(way.algorithm && way.algorithm->isSet());
    bytes.push_back(
        isKernel ? npu::tileBytes(problem, slots->getOp(),
                                  countedLayouts(*slots, way.way->layouts),
                                  way.algorithm, way.way->layouts)
                 : 0);
  }
  return bytes;
}
