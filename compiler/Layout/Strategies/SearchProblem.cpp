// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Strategies/SearchProblem.h"

#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/Placement.h"
#include "compiler/Layout/Problem/Storage.h"

#include <array>
#include <cmath>

using namespace npu;

/// An op whose operands share few dimensions with its result has a way for each
/// combination of their orders; no op of a network comes near this.
static constexpr size_t mostWays = 4096;

SearchProblem::SearchProblem(const LayoutProblem &problem,
                             const Candidates &candidates, int64_t most)
    : problem(problem), candidates(candidates) {
  Block &block = problem.function->getRegion(0).front();
  for (Value argument : block.getArguments())
    addInput(argument);
  int64_t least = 0;
  for (const OpSlots &op : candidates.slots()) {
    addKernel(op);
    least += leastOf(ops.back());
    if (least > most)
      return;
  }
  for (OpOperand &output : block.getTerminator()->getOpOperands())
    if (!isConstant(output.get()))
      addOutput(output);
  weigh();
  trees = std::make_unique<search::RelayoutTrees>(built);
}

// Building.

int SearchProblem::indexOf(Value value, LayoutAttr layout) const {
  return layout ? candidates.find(value, layout) : search::asStored;
}

void SearchProblem::addValue(Value value) {
  ArrayRef<LayoutAttr> layouts = candidates.of(value);
  numberOf[value] = static_cast<int>(built.values.size());
  search::Value number;
  number.layouts = static_cast<int>(layouts.size());
  built.values.push_back(number);
  RankedTensorType type = tensorType(value);
  std::vector<LayoutCost> costs;
  for (LayoutAttr from : layouts)
    for (LayoutAttr to : layouts)
      costs.push_back(
          from == to ? LayoutCost()
                     : LayoutCost{1, storedBytes(type, to),
                                  relayoutCycles(problem, value, from, to)});
  moves.push_back(std::move(costs));
}

void SearchProblem::addOp(NamedOp op, ArrayRef<Value> operands,
                          ArrayRef<Value> results) {
  search::Op number;
  for (Value operand : operands)
    number.operands.push_back(numberOf.lookup(operand));
  for (Value result : results) {
    addValue(result);
    number.results.push_back(numberOf.lookup(result));
  }
  built.ops.push_back(std::move(number));
  ops.push_back(std::move(op));
}

void SearchProblem::addInput(Value argument) {
  NamedOp op;
  op.input = argument;
  if (LayoutAttr held = problem.inputs.lookup(argument))
    op.ways.push_back({{held}, {}});
  else
    for (LayoutAttr layout : candidates.of(argument))
      op.ways.push_back({{layout}, {}});
  addOp(std::move(op), {}, {argument});
}

void SearchProblem::addOutput(OpOperand &output) {
  NamedOp op;
  op.output = &output;
  op.ways.push_back({{problem.outputs[output.getOperandNumber()]}, {}});
  addOp(std::move(op), {output.get()}, {});
}

/// A view whose target wants orders that no bytes have in common.
LayoutCost SearchProblem::movingView(const OpSlots &slots,
                                     const OpLayouts &layouts) const {
  const Slot &from = slots[0], &to = slots[slots.anchor()];
  LayoutAttr free = slots.carry(0, layouts[0], slots.anchor());
  ArrayRef<int64_t> shape = tensorType(to.value).getShape();
  if (from.constant || (free && free.isEquivalent(layouts.back(), shape)))
    return {};
  return {1, storedBytes(tensorType(to.value), layouts.back()),
          viewCycles(problem, slots.getOp(), layouts[0], layouts.back())};
}

/// A view that moves its data. Only a demand can make that better than a free
/// view and a relayout.
void SearchProblem::addDemandedMove(const OpSlots &slots,
                                    std::vector<NamedWay> &ways) const {
  const Slot &from = slots[0], &to = slots[slots.anchor()];
  if (from.accepted.empty() && to.accepted.empty())
    return;
  OpLayouts moving = {sourceOrPreferred(from.accepted, from.value),
                      sourceOrPreferred(to.accepted, to.value)};
  bool isKnown = from.constant || candidates.find(from.value, moving[0]) >= 0;
  if (!isKnown || candidates.find(to.value, moving[1]) < 0)
    return;
  LayoutCost cost = movingView(slots, moving);
  if (cost.count > 0 || ways.empty()) // nothing moves of a constant
    ways.push_back({moving, cost});
}

/// A view that moves its data may do so from any order to any. Where the one
/// order shows the view for free, or the other comes from one that does, a free
/// view and a relayout are no dearer.
void SearchProblem::addMovingWays(const OpSlots &slots,
                                  std::vector<NamedWay> &ways) const {
  const Slot &from = slots[0], &to = slots[slots.anchor()];
  auto isFree = [&](unsigned a, LayoutAttr layout, unsigned b) {
    LayoutAttr carried = slots.carry(a, layout, b);
    return carried && slots[b].accepts(carried) &&
           (slots[b].constant || candidates.find(slots[b].value, carried) >= 0);
  };
  SmallVector<LayoutAttr> sources, results;
  for (LayoutAttr layout : candidates.of(from.value))
    if (from.accepts(layout) && !isFree(0, layout, slots.anchor()))
      sources.push_back(layout);
  if (!sources.empty())
    for (LayoutAttr layout : candidates.of(to.value))
      if (to.accepts(layout) && !isFree(slots.anchor(), layout, 0))
        results.push_back(layout);
  for (LayoutAttr source : sources)
    for (LayoutAttr result : results)
      ways.push_back({{source, result}, movingView(slots, {source, result})});
  addDemandedMove(slots, ways);
}

void SearchProblem::addKernel(const OpSlots &slots) {
  NamedOp op;
  op.slots = &slots;
  for (const OpSlots &signature : slots.signatures())
    llvm::append_range(op.ways, slots.isView() ? viewWays(signature)
                                               : waysOf(signature));
  SmallVector<Value> operands, results;
  OpLayouts source;
  for (const Slot &slot : slots.all()) {
    source.push_back(rowMajor(slot.value));
    if (!slot.constant)
      (slot.result ? results : operands).push_back(slot.value);
  }
  if (slots.isView())
    for (const OpSlots &signature : slots.signatures())
      addMovingWays(signature, op.ways);
  // Nothing meets the demands: the source's order, which the check of the
  // finished function refuses with the demand's name.
  // A view may stand as it is, if it moves its data.
  if (op.ways.empty())
    op.ways.push_back(
        {source, slots.isView() ? movingView(slots, source) : LayoutCost()});
  addOp(std::move(op), operands, results);
}

std::vector<SearchProblem::NamedWay>
SearchProblem::viewWays(const OpSlots &slots) const {
  std::vector<NamedWay> ways;
  const Slot &from = slots[0], &to = slots[slots.anchor()];
  auto add = [&](LayoutAttr layout) {
    LayoutAttr view = slots.carry(0, layout, slots.anchor());
    if (view && candidates.find(to.value, view) >= 0 && from.accepts(layout) &&
        to.accepts(view))
      ways.push_back({{layout, view}, {}});
  };
  if (from.constant)
    for (LayoutAttr view : candidates.of(to.value)) {
      if (LayoutAttr layout = slots.carry(slots.anchor(), view, 0))
        add(layout);
    }
  else
    llvm::for_each(candidates.of(from.value), add);
  return ways;
}

/// The layouts in which a slot may be while the anchor is in one of its own;
/// null: as stored.
SmallVector<LayoutAttr> SearchProblem::choices(const OpSlots &slots,
                                               LayoutAttr anchor,
                                               unsigned index) const {
  const Slot &slot = slots[index];
  SmallVector<LayoutAttr> list;
  if (slot.constant) {
    if (LayoutAttr layout = slots.placeConstant(anchor, index))
      list.push_back(layout);
  } else if (slot.independent) {
    ArrayRef<LayoutAttr> stored = candidates.of(slot.value);
    bool takesAll =
        slot.accepted.empty() && llvm::all_of(stored, [&](LayoutAttr layout) {
          return slot.accepts(layout);
        });
    if (takesAll) {
      list.push_back(LayoutAttr());
      return list;
    }
    // What is demanded; or as it is stored, but for what only a view shows.
    for (LayoutAttr layout :
         slot.accepted.empty() ? stored : ArrayRef(slot.accepted))
      if (slot.accepts(layout) && candidates.find(slot.value, layout) >= 0)
        list.push_back(layout);
  } else {
    for (LayoutAttr layout : candidates.of(slot.value))
      if (slot.accepts(layout) && slots.goTogether(anchor, index, layout))
        list.push_back(layout);
  }
  return list;
}

/// Every combination of what the slots may be in; `layouts` has the anchor's.
void SearchProblem::extend(const OpSlots &slots, OpLayouts &layouts,
                           std::vector<NamedWay> &ways) const {
  LayoutAttr anchor = layouts[slots.anchor()];
  size_t first = ways.size();
  ways.push_back({layouts, {}});
  for (unsigned index = 0; index < slots.all().size(); ++index) {
    if (index == slots.anchor())
      continue;
    SmallVector<LayoutAttr> list = choices(slots, anchor, index);
    std::vector<NamedWay> longer;
    for (size_t i = first; i < ways.size(); ++i)
      for (LayoutAttr layout : list)
        if (first + longer.size() < mostWays) {
          longer.push_back(ways[i]);
          longer.back().layouts[index] = layout;
        } else {
          cut.insert(slots.getOp());
        }
    ways.resize(first);
    ways.insert(ways.end(), longer.begin(), longer.end());
  }
}

std::vector<SearchProblem::NamedWay>
SearchProblem::waysOf(const OpSlots &slots) const {
  std::vector<NamedWay> ways;
  const Slot &anchor = slots[slots.anchor()];
  for (LayoutAttr layout : candidates.of(anchor.value)) {
    if (!anchor.accepts(layout))
      continue;
    OpLayouts layouts(slots.all().size());
    layouts[slots.anchor()] = layout;
    extend(slots, layouts, ways);
  }
  llvm::erase_if(ways, [&](NamedWay &way) {
    OpLayouts counted = way.layouts;
    for (auto [index, slot] : llvm::enumerate(slots.all()))
      if (slot.independent)
        counted[index] = LayoutAttr();
    auto fastest =
        fastestAlgorithm(problem, slots.getOp(), counted, way.layouts);
    if (!fastest)
      return true;
    way.cost.cycles = fastest->cycles;
    way.algorithm = fastest->algorithm;
    return false;
  });
  return ways;
}

// Weighing: the objective first, then two tie-breaks, as one whole number.

/// The parts of a cost in the order in which they count.
static std::array<int64_t, 3> ranked(const LayoutCost &cost,
                                     Objective objective) {
  if (objective == Objective::Time)
    return {cost.cycles, cost.bytes, cost.count};
  return {cost.of(objective), cost.cycles,
          objective == Objective::Count ? cost.bytes : cost.count};
}

search::Cost SearchProblem::weighed(const LayoutCost &cost) const {
  std::array<int64_t, 3> parts = ranked(cost, problem.objective);
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
    least = std::min(least, way.cost.of(problem.objective));
  return least;
}

void SearchProblem::weigh() {
  // What any choice can cost at most, in each part.
  std::array<double, 3> most = {0, 0, 0};
  auto addLargest = [&](auto &&costs) {
    std::array<int64_t, 3> largest = {0, 0, 0};
    for (const LayoutCost &cost : costs) {
      std::array<int64_t, 3> parts = ranked(cost, problem.objective);
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
  for (const std::vector<LayoutCost> &costs : moves)
    for (size_t layout = 1; layout * layout < costs.size(); ++layout)
      addLargest(costs);

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
    for (const LayoutCost &cost : costs)
      number.move.push_back(weighed(cost));
  for (auto [number, op] : llvm::zip(built.ops, ops))
    for (const NamedWay &way : op.ways) {
      search::Way built{weighed(way.cost), {}};
      auto place = [&](Value value, LayoutAttr layout) {
        built.layouts.push_back(indexOf(value, layout));
      };
      if (!op.slots)
        place(op.output ? op.output->get() : op.input, way.layouts[0]);
      else
        for (auto [slot, layout] : llvm::zip(op.slots->all(), way.layouts))
          if (!slot.constant)
            place(slot.value, layout);
      number.ways.push_back(std::move(built));
    }
}

// Between choices and plans.

bool SearchProblem::matches(const NamedOp &op, const NamedWay &way,
                            const LayoutPlan &plan) const {
  auto same = [](Value value, LayoutAttr wanted, LayoutAttr found) {
    return !wanted ||
           (found && wanted.isEquivalent(found, tensorType(value).getShape()));
  };
  if (op.output)
    return same(op.output->get(), way.layouts[0], plan.layoutRead(*op.output));
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
    for (auto [index, way] : llvm::enumerate(op.ways))
      if (matches(op, way, plan) &&
          (!best || ranked(way.cost, problem.objective) <
                        ranked(op.ways[*best].cost, problem.objective)))
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
  Block &block = problem.function->getRegion(0).front();
  for (auto constant : block.getOps<ConstantOp>())
    plan.produced[constant.getResult()] = rowMajor(constant.getResult());
  for (OpOperand &output : block.getTerminator()->getOpOperands())
    if (LayoutAttr held = problem.outputs[output.getOperandNumber()])
      plan.read[&output] = held;
  for (auto [op, way] : llvm::zip(ops, chosen)) {
    const OpLayouts &layouts = op.ways[way].layouts;
    if (op.input)
      plan.produced[op.input] = layouts[0];
    if (!op.slots)
      continue;
    if (const Alternative *algorithm = op.ways[way].algorithm)
      plan.algorithms[op.slots->getOp()] = algorithm;
    for (auto [index, slot] : llvm::enumerate(op.slots->all())) {
      if (slot.result)
        plan.produced[slot.value] = layouts[index];
      else if (layouts[index])
        plan.read[&op.slots->getOp()->getOpOperand(index)] = layouts[index];
    }
  }
  planCopies(chosen, plan);
  return plan;
}
