// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Strategies/OpWays.h"

#include "compiler/Dialect/NPU/OutputCopy.h"
#include "compiler/Layout/Problem/Alternatives.h"
#include "compiler/Layout/Problem/LayoutMemo.h"
#include "compiler/Layout/Problem/Placement.h"
#include "compiler/Layout/Strategies/KernelWays.h"
#include "compiler/Layout/Strategies/SplitWays.h"
#include "compiler/Search/LayoutSearch.h"
#include "compiler/Target/AcceptedLayouts.h"

#include "llvm/ADT/StringSet.h"

using namespace npu;

/// An op whose operands share few dimensions with its result has a way for each
/// combination of their orders; no op of a network comes near the first. All
/// together are what the memory of a search is used for: some hundred bytes
/// each.
static constexpr size_t mostWays = 4096, mostWaysOfAll = size_t(1) << 21;

/// However few steps are left, so many are looked at.
static constexpr size_t fewWaysOfAll = size_t(1) << 13;

/// What a way is counted as by all that look at it before it is searched.
static constexpr double stepsOfWay = 1200;

/// What a way is counted as: its layouts are compared with each other.
static constexpr double wayLookSteps = 100;

OpLayouts npu::countedLayouts(const OpSlots &slots, const OpLayouts &layouts) {
  OpLayouts counted = layouts;
  for (auto [index, slot] : llvm::enumerate(slots.all()))
    if (slot.independent)
      counted[index] = LayoutAttr();
  return counted;
}

/// Which two kernels a way has, and the order between them.
static void addSplit(Question &question, const OpWay &way) {
  if (way.split)
    question.add(&way.split->kernels->row())
        .add(way.split->layouts.stored)
        .add(way.split->layouts.read);
}

OpWays::OpWays(const LayoutProblem &problem, const Candidates &candidates)
    : problem(problem), known(candidates),
      most(static_cast<size_t>(std::clamp(
          problem.limit.left() / stepsOfWay, static_cast<double>(fewWaysOfAll),
          static_cast<double>(mostWaysOfAll)))) {
  Block &block = problem.function->getRegion(0).front();
  ops.reserve(2 * candidates.slots().size() + block.getNumArguments());
  llvm::DenseMap<OpOperand *, BlockArgument> stateOf;
  for (auto [before, after] : problem.freeStates()) {
    if (isConstant(after->get()))
      continue;
    states.insert(before);
    stateOf[after] = before;
  }
  for (Value argument : block.getArguments())
    addInput(argument);
  for (const OpSlots &op : candidates.slots()) {
    if (hasReaders(op))
      withReaders.insert(op.getOp());
    addOp(op);
    addReaders(op);
    ++looked;
  }
  for (OpOperand &output : block.getTerminator()->getOpOperands())
    if (!isConstant(output.get()))
      addOutput(output, stateOf.lookup(&output));
}

std::string OpWays::space() const {
  std::string space =
      "orders and blocks that the target, the boundary and the other "
      "strategies name, what follows from them through views and ops, their "
      "merges, and orders of digits that pass through more views than these; "
      "more than " +
      std::to_string(fewOperands) +
      " operands of an op as its result's order is spelled; kernels of several "
      "ops whole, or as two before an op that reads a further operand or one "
      "ahead of it, with the value between on the chip or not";
  if (int some = capped())
    space += "; without some of " + std::to_string(some) +
             " values or ops that have more than are looked at";
  return space;
}

void OpWays::addInput(Value argument) {
  WaysOfOp op;
  op.input = argument;
  if (states.contains(argument))
    op.state = cast<BlockArgument>(argument);
  if (LayoutAttr held = problem.inputs.lookup(argument))
    op.ways.push_back({{held}});
  else
    for (LayoutAttr layout : known.of(argument))
      op.ways.push_back({{layout}});
  keep(std::move(op));
}

void OpWays::addOutput(OpOperand &output, BlockArgument state) {
  WaysOfOp op;
  op.read = &output;
  op.state = state;
  if (state) {
    for (LayoutAttr layout : known.of(state))
      if (known.find(output.get(), layout) >= 0)
        op.ways.push_back({{layout}});
  } else {
    op.ways.push_back({{problem.outputs[output.getOperandNumber()]}});
  }
  keep(std::move(op));
}

/// Whether the op's independent operands may be readers: its other layouts
/// alone say what it costs and which of its signatures it is.
bool OpWays::hasReaders(const OpSlots &slots) const {
  ArrayRef<Signature> listed = signaturesOf(problem.target, slots.getOp());
  return !slots.isView() && slots.signatures().size() == 1 &&
         (listed.size() == 1 || multiplyNothing(listed)) &&
         llvm::any_of(slots.all(),
                      [&](const Slot &slot) {
                        return slot.independent && !slot.constant &&
                               slot.accepted.size() > 1;
                      }) &&
         !pluginsOf(slots.getOp()->getContext()) &&
         alternativesFor(slots.getOp(), problem.target).empty();
}

void OpWays::addReaders(const OpSlots &slots) {
  if (!withReaders.contains(slots.getOp()))
    return;
  const OpSlots &one = slots.signatures().front();
  for (auto [index, slot] : llvm::enumerate(one.all())) {
    SmallVector<LayoutAttr> list;
    if (slot.independent && !slot.constant && !slot.accepted.empty())
      list = knownOf(known, slot);
    if (list.size() < 2)
      continue;
    WaysOfOp reader;
    reader.read = &slots.getOp()->getOpOperand(index);
    for (LayoutAttr layout : list)
      reader.ways.push_back({{layout}});
    keep(std::move(reader));
  }
}

void OpWays::addOp(const OpSlots &slots) {
  WaysOfOp op;
  op.slots = &slots;
  for (const Slot &slot : slots.all())
    op.source.layouts.push_back(rowMajor(slot.value));
  if (slots.isView()) {
    op.source.moves = moves(slots, op.source.layouts);
    for (const OpSlots &signature : slots.signatures())
      llvm::append_range(op.ways, viewWays(signature));
    for (const OpSlots &signature : slots.signatures())
      addMovingWays(signature, op.ways);
  } else {
    addKernelWays(slots, op);
    addSplitWays(slots, op);
    findAlike(slots, op);
    op.kind = kindOf(op);
  }
  keep(std::move(op));
}

void OpWays::addKernelWays(const OpSlots &slots, WaysOfOp &op) {
  bool isOne = slots.signatures().size() == 1;
  llvm::StringSet<> seen; // what several signatures take is one way
  for (const OpSlots &signature : slots.signatures()) {
    KernelWays found =
        kernelWays(signature, known, withReaders.contains(slots.getOp()),
                   std::min(mostWays, mostWaysOfNext()));
    problem.limit.count(wayLookSteps * static_cast<double>(found.ways.size()));
    if (found.isCut)
      cut.insert(slots.getOp());
    op.ways.reserve(op.ways.size() + found.ways.size());
    for (OpLayouts &layouts : found.ways) {
      Question question;
      for (LayoutAttr layout : layouts)
        question.add(layout);
      if (isOne || seen.insert(question.bytes()).second)
        op.ways.push_back({std::move(layouts)});
    }
  }
}

void OpWays::addSplitWays(const OpSlots &slots, WaysOfOp &op) {
  auto pin = problem.pins.algorithms.find(slots.getOp());
  const bool isPinned = pin != problem.pins.algorithms.end();
  for (const SplitSlots &split : known.splitsOf(slots.getOp())) {
    if (isPinned && pin->second != &split.kernels->row())
      continue;
    SplitWays found = splitWays(problem, slots, split, known,
                                withReaders.contains(slots.getOp()),
                                std::min(mostWays, mostWaysOfNext()), isPinned);
    problem.limit.count(wayLookSteps * static_cast<double>(found.looked));
    if (found.isCut)
      cut.insert(slots.getOp());
    llvm::append_range(op.ways, std::move(found.ways));
  }
}

/// Ways that cost alike are those with the same layouts that are counted.
void OpWays::findAlike(const OpSlots &slots, WaysOfOp &op) const {
  bool isOne = slots.signatures().size() == 1;
  llvm::StringMap<unsigned> firsts;
  for (auto [number, way] : llvm::enumerate(op.ways)) {
    // Which of several signatures takes them depends on all of them.
    OpLayouts counted =
        isOne ? countedLayouts(slots, way.layouts) : way.layouts;
    Question question;
    for (LayoutAttr layout : counted)
      question.add(layout);
    addSplit(question, way);
    op.firstAlike.push_back(
        firsts.try_emplace(question.bytes(), number).first->second);
  }
}

/// With each layout of the next op's result, so that all have some. One op of
/// many may have far more than its share while there are enough.
size_t OpWays::mostWaysOfNext() const {
  constexpr size_t enough = 64;
  const size_t ops = known.slots().size();
  const size_t left = most - std::min(most, waysOfAll);
  return std::max(
      {size_t(1), left / std::max<size_t>(1, ops - looked), left / enough});
}

unsigned OpWays::kindOf(const WaysOfOp &op) {
  LayoutMemo *memo = problem.memoFor(op.slots->getOp());
  if (!memo)
    return 0; // nobody asks
  Question question;
  question.add(memo->alike.of(op.slots->getOp()));
  for (const OpWay &way : op.ways) {
    for (LayoutAttr layout : way.layouts)
      question.add(layout);
    addSplit(question, way);
  }
  return kinds.try_emplace(question.bytes(), kinds.size()).first->second;
}

void OpWays::keep(WaysOfOp op) {
  for (OpWay &way : op.ways)
    findPlaces(op, way);
  findPlaces(op, op.source);
  waysOfAll += op.ways.size();
  ops.push_back(std::move(op));
}

void OpWays::findPlaces(const WaysOfOp &op, OpWay &way) const {
  auto find = [&](Value value, LayoutAttr layout) {
    way.places.push_back(layout ? known.find(value, layout) : search::asStored);
  };
  if (op.slots) {
    for (auto [slot, layout] : llvm::zip(op.slots->all(), way.layouts))
      if (!slot.constant)
        find(slot.value, layout);
  } else if (!way.layouts.empty()) {
    find(op.read ? op.read->get() : op.input, way.layouts[0]);
    if (op.state)
      find(op.state, way.layouts[0]);
  }
}

/// Whether a view's target wants orders that no bytes have in common, or the
/// view is a copy.
bool OpWays::moves(const OpSlots &slots, const OpLayouts &layouts) const {
  const Slot &from = slots[0], &to = slots[slots.anchor()];
  if (isCopy(slots.getOp()))
    return true;
  if (from.constant)
    return false;
  LayoutAttr free = slots.carry(0, layouts[0], slots.anchor());
  return !free ||
         !free.isEquivalent(layouts.back(), tensorType(to.value).getShape());
}

/// A view that moves its data. Only a demand can make that better than a free
/// view and a relayout.
void OpWays::addDemandedMove(const OpSlots &slots,
                             std::vector<OpWay> &ways) const {
  const Slot &from = slots[0], &to = slots[slots.anchor()];
  if (from.accepted.empty() && to.accepted.empty())
    return;
  OpLayouts moving = {sourceOrPreferred(from.accepted, from.value),
                      sourceOrPreferred(to.accepted, to.value)};
  bool isKnown = from.constant || known.find(from.value, moving[0]) >= 0;
  if (!isKnown || known.find(to.value, moving[1]) < 0)
    return;
  bool isMoved = moves(slots, moving);
  if (isMoved || ways.empty()) // nothing moves of a constant
    ways.push_back({moving, isMoved});
}

/// A view that moves its data may do so from any order to any. Where the one
/// order shows the view for free, or the other comes from one that does, a free
/// view and a relayout are no dearer.
void OpWays::addMovingWays(const OpSlots &slots,
                           std::vector<OpWay> &ways) const {
  const Slot &from = slots[0], &to = slots[slots.anchor()];
  auto isFree = [&](unsigned a, LayoutAttr layout, unsigned b) {
    LayoutAttr carried = slots.carry(a, layout, b);
    return carried && slots[b].accepts(carried) &&
           (slots[b].constant || known.find(slots[b].value, carried) >= 0);
  };
  SmallVector<LayoutAttr> sources, results;
  for (LayoutAttr layout : known.of(from.value))
    if (from.accepts(layout) && !isFree(0, layout, slots.anchor()))
      sources.push_back(layout);
  if (!sources.empty())
    for (LayoutAttr layout : known.of(to.value))
      if (to.accepts(layout) && !isFree(slots.anchor(), layout, 0))
        results.push_back(layout);
  for (LayoutAttr source : sources)
    for (LayoutAttr result : results)
      ways.push_back({{source, result}, moves(slots, {source, result})});
  addDemandedMove(slots, ways);
}

std::vector<OpWay> OpWays::viewWays(const OpSlots &slots) const {
  std::vector<OpWay> ways;
  const Slot &from = slots[0], &to = slots[slots.anchor()];
  auto add = [&](LayoutAttr layout) {
    LayoutAttr carried = slots.carry(0, layout, slots.anchor());
    int place = carried ? known.find(to.value, carried) : -1;
    if (place < 0)
      return;
    // What lies alike has one spelling, whichever op speaks of it.
    LayoutAttr view = known.of(to.value)[place];
    if (from.accepts(layout) && to.accepts(view))
      ways.push_back({{layout, view}, isCopy(slots.getOp())});
  };
  if (from.constant)
    for (LayoutAttr view : known.of(to.value)) {
      if (LayoutAttr layout = slots.carry(slots.anchor(), view, 0))
        add(layout);
    }
  else
    llvm::for_each(known.of(from.value), add);
  return ways;
}
