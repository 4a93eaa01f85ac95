// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Strategies/Candidates.h"

#include "compiler/Dialect/NPU/LayoutAgreement.h"
#include "compiler/Dialect/NPU/LayoutUse.h"
#include "compiler/Dialect/NPU/OneSpelling.h"
#include "compiler/Layout/Problem/LayoutMemo.h"
#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/Placement.h"
#include "compiler/Layout/Problem/Storage.h"
#include "compiler/Layout/Strategies/OpenRegions.h"

using namespace npu;

/// What follows comes after what somebody asks for; so a network that mixes
/// many orders loses guesses first.
static constexpr size_t mostLayouts = 48;

/// Other spellings are looked at for values that they make so many times larger
/// at most: a row padded to a tile of rows has dozens of them, each for
/// nothing.
static constexpr double mostPadding = 2;

/// What a layout that is carried to another value is counted as.
static constexpr double spreadSteps = 50;

static std::vector<OpSlots> slotsOf(const LayoutProblem &problem) {
  Block &block = problem.function->getRegion(0).front();
  std::vector<OpSlots> slots;
  slots.reserve(block.getOperations().size());
  for (Operation &op : block)
    if (auto rule = dyn_cast<LayoutOpInterface>(op))
      slots.emplace_back(problem, rule);
  return slots;
}

Candidates::Candidates(const LayoutProblem &problem,
                       ArrayRef<LayoutPlan> others, Groups groups)
    : problem(problem), ops(slotsOf(problem)) {
  if (groups == Groups::MaySplit)
    findSplits();
  for (unsigned number = 0; number < ops.size() + parts.size(); ++number)
    addPlaces(number);
  for (auto [before, after] : problem.freeStates()) {
    otherSides[before].push_back(after->get());
    otherSides[after->get()].push_back(before);
  }
  seed(others);
  // What an op accepts for a constant, or for a value to which it means the
  // same as another order, may mean something to the op's other values.
  for (auto [number, op] : llvm::enumerate(ops))
    for (const OpSlots &signature : op.signatures())
      for (auto [index, slot] : llvm::enumerate(signature.all()))
        for (LayoutAttr layout : slot.accepted)
          spread(number, index, layout);
  close();
  OpenLayouts open =
      openLayouts(ops, [this](Value value) { return of(value); });
  for (auto [value, layout] : open.layouts)
    add(value, layout);
  full.insert(open.cut.begin(), open.cut.end());
  close();
}

void Candidates::findSplits() {
  std::map<std::pair<unsigned, const Alternative *>,
           std::shared_ptr<const SplitKernels>>
      shared; // of ops that are alike
  for (const OpSlots &slots : ops) {
    auto op = dyn_cast<FusedOp>(slots.getOp().getOperation());
    if (!op)
      continue;
    LayoutMemo *memo = problem.memoFor(op);
    for (const Alternative *row : splitsFor(op, problem.target)) {
      std::shared_ptr<const SplitKernels> kernels;
      auto &kept = memo ? shared[{memo->alike.of(op), row}] : kernels;
      if (!kept)
        kept = std::make_shared<SplitKernels>(problem, op, *row);
      kernels = kept;
      auto [first, rest] = kernels->slotsFor(problem, op);
      split[op].push_back({kernels, std::move(first), std::move(rest)});
    }
  }
  for (const OpSlots &slots : ops)
    for (const SplitSlots &one : splitsOf(slots.getOp())) {
      parts.push_back(&one.first);
      parts.push_back(&one.rest);
    }
}

void Candidates::addPlaces(unsigned number) {
  const OpSlots &op = slotsAt(number);
  for (auto [index, slot] : llvm::enumerate(op.all())) {
    if (slot.constant)
      continue;
    places[slot.value].push_back({number, index});
    if (op.anchor() > fewOperands)
      ofWideOps.insert(slot.value);
  }
}

ArrayRef<SplitSlots> Candidates::splitsOf(Operation *op) const {
  auto found = split.find(op);
  return found == split.end() ? ArrayRef<SplitSlots>()
                              : ArrayRef<SplitSlots>(found->second);
}

ArrayRef<LayoutAttr> Candidates::of(Value value) const {
  auto found = layouts.find(value);
  return found == layouts.end() ? ArrayRef<LayoutAttr>() : found->second;
}

int Candidates::find(Value value, LayoutAttr layout) const {
  auto met = seen.find({value, layout});
  return met == seen.end() ? compare(value, layout) : met->second;
}

int Candidates::compare(Value value, LayoutAttr layout) const {
  bool hasBlocks = layout.isBlocked() || storage.contains(value);
  if (hasBlocks && !llvm::is_contained(tensorType(value).getShape(), 0))
    return compareDigits(value, layout);
  for (auto [index, candidate] : llvm::enumerate(of(value)))
    if (candidate.isEquivalent(layout, tensorType(value).getShape()))
      return static_cast<int>(index);
  return -1;
}

/// What is in blocks has a storage that takes long to find, and may have
/// thousands of spellings: each is asked once.
int Candidates::compareDigits(Value value, LayoutAttr layout) const {
  ArrayRef<int64_t> shape = tensorType(value).getShape();
  ArrayRef<LayoutAttr> others = of(value);
  SmallVector<Digits, 0> &digits = storage[value];
  while (digits.size() < others.size())
    digits.push_back(normalDigits(toStoredOrder(others[digits.size()]), shape));
  auto *same = llvm::find(digits, normalDigits(toStoredOrder(layout), shape));
  return same == digits.end() ? -1 : static_cast<int>(same - digits.begin());
}

SmallVector<LayoutAttr, 2> Candidates::spellings(Value value, int place) const {
  SmallVector<LayoutAttr, 2> spellings = {of(value)[place]};
  if (auto found = respelled.find(value); found != respelled.end())
    for (auto [other, layout] : found->second)
      if (other == place)
        spellings.push_back(layout);
  return spellings;
}

void Candidates::add(Value value, LayoutAttr layout) {
  if (!layout || isConstant(value))
    return;
  auto [met, isNew] = seen.try_emplace({value, layout}, -1);
  if (!isNew)
    return;
  if (int place = compare(value, layout); place >= 0) {
    met->second = place;
    respelled[value].push_back({place, layout});
  } else {
    SmallVector<LayoutAttr, 4> &list = layouts[value];
    if (list.size() >= mostLayouts) {
      full.insert(value);
      return;
    }
    met->second = static_cast<int>(list.size());
    list.push_back(layout);
    for (const Ask &ask : asks.lookup(value))
      add(value, merged(ask, layout));
  }
  fresh.push_back({value, layout});
  for (Value other : otherSides.lookup(value))
    add(other, layout);
}

/// The order that is asked for, with the dimensions that it leaves open where
/// they are in the other.
LayoutAttr Candidates::merged(const Ask &ask, LayoutAttr open) const {
  StoredOrder order = mergeOrders(ask.order, ask.known, toStoredOrder(open));
  return isPossible(order) ? toLayout(open.getContext(), order) : LayoutAttr();
}

void Candidates::ask(Value value, const TransferResult &carried) {
  Ask asked = {*carried.layout, carried.known};
  ArrayRef<int64_t> shape = tensorType(value).getShape();
  // One dimension by itself, not in blocks, asks for nothing.
  int64_t known = llvm::count_if(asked.order.order, [&](int64_t dim) {
    return asked.known[dim] && shape[dim] > 1;
  });
  if (isConstant(value) || (known < 2 && asked.order.blocks.empty()))
    return;
  SmallVector<Ask, 2> &list = asks[value];
  if (llvm::any_of(list, [&](const Ask &other) {
        return other.order == asked.order && other.known == asked.known;
      }))
    return;
  list.push_back(asked);
  for (LayoutAttr layout : SmallVector<LayoutAttr>(of(value)))
    add(value, merged(asked, layout));
}

void Candidates::seed(ArrayRef<LayoutPlan> others) {
  Block &block = problem.function->getRegion(0).front();
  for (Value argument : block.getArguments()) {
    add(argument, problem.inputs.lookup(argument));
    add(argument, rowMajor(argument));
  }
  for (const OpSlots &op : ops)
    for (const Slot &slot : op.all())
      if (slot.result)
        add(slot.value, rowMajor(slot.value));
  for (OpOperand &operand : block.getTerminator()->getOpOperands())
    add(operand.get(), problem.outputs[operand.getOperandNumber()]);
  for (const OpSlots &op : ops)
    for (const OpSlots &signature : op.signatures())
      for (const Slot &slot : signature.all())
        for (LayoutAttr layout : slot.accepted)
          add(slot.value, layout);
  for (const LayoutPlan &plan : others) {
    for (const OpSlots &op : ops)
      for (const Slot &slot : op.all())
        add(slot.value, plan.produced.lookup(slot.value));
    for (const OpSlots &op : ops)
      for (OpOperand &operand : op.getOp()->getOpOperands())
        add(operand.get(), plan.read.lookup(&operand));
  }
}

/// Ends: each value's list only grows, up to a limit.
void Candidates::close() {
  while (!fresh.empty()) {
    auto [value, layout] = fresh.front();
    fresh.pop_front();
    for (auto [op, slot] : places.lookup(value))
      spread(op, slot, layout);
  }
}

void Candidates::spread(unsigned number, unsigned from, LayoutAttr layout) {
  const OpSlots &op = slotsAt(number);
  if (op[from].independent || !op[from].accepts(layout) ||
      !known.insert({{number, op.firstAlike(from)}, layout}).second)
    return;
  problem.limit.count(spreadSteps * static_cast<double>(op.all().size()));
  llvm::SmallDenseMap<unsigned, TransferResult, 4> carried; // by first alike
  for (auto [to, slot] : llvm::enumerate(op.all())) {
    if (to == from || slot.independent || slot.constant)
      continue;
    auto [at, isNew] = carried.try_emplace(op.firstAlike(to));
    if (isNew)
      at->second = op.transfer(from, layout, to);
    const TransferResult &result = at->second;
    if (!result.layout || !result.movedPadding.empty())
      continue;
    LayoutAttr follows = toLayout(problem.getContext(), *result.layout);
    if (slot.accepts(follows))
      add(slot.value, follows);
    if (!result.complete)
      ask(slot.value, result);
  }
  if (!layout.getBlocks().empty() && !op.isView() &&
      !ofWideOps.contains(op[from].value))
    spreadRespelled(number, from, layout);
}

/// By how much a layout makes a value larger than its elements.
static double paddingOf(Value value, LayoutAttr layout) {
  const auto bytes = static_cast<double>(storedBytes(tensorType(value), {}));
  return static_cast<double>(storedBytes(tensorType(value), layout)) /
         std::max(1.0, bytes);
}

/// What follows for another of an op's values from other spellings of what is
/// stored alike.
static SmallVector<LayoutAttr> followsRespelled(const OpSlots &op,
                                                unsigned from,
                                                LayoutAttr layout,
                                                unsigned to) {
  SmallVector<LayoutAttr> list;
  RelatedValue source = op.related(from), target = op.related(to);
  StoredOrder spelled = toStoredOrder(layout);
  auto knows = [&](int64_t size) { return op[to].kernels->knowsBlock(size); };
  for (auto [dim, related] : llvm::enumerate(source.dims)) {
    bool isShared = related.isWhole && related.group != RelatedDim::nowhere;
    int64_t whole = isShared ? target.wholeDim(related.group) : -1;
    if (whole < 0 || target.shape[whole] == source.shape[dim])
      continue;
    SmallVector<int64_t, 4> extents = op.extentsOf(related.group);
    OtherExtents others = {target.shape[whole], extents};
    for (const StoredOrder &other :
         respellings(spelled, source.shape, dim, others, knows)) {
      TransferResult result = transferLayout(source, other, target);
      if (!result.layout || !result.movedPadding.empty())
        continue;
      LayoutAttr follows = toLayout(layout.getContext(), *result.layout);
      if (paddingOf(op[to].value, follows) <= mostPadding)
        list.push_back(follows);
    }
  }
  return list;
}

/// Blocks of another size may hold the same, or another dimension have the
/// padding; for a value of another extent each is another layout.
void Candidates::spreadRespelled(unsigned number, unsigned from,
                                 LayoutAttr layout) {
  const OpSlots &op = slotsAt(number);
  llvm::SmallDenseMap<unsigned, SmallVector<LayoutAttr>, 4> lists;
  for (auto [to, slot] : llvm::enumerate(op.all())) {
    if (to == from || slot.independent || slot.constant ||
        ofWideOps.contains(slot.value))
      continue;
    auto [list, isNew] = lists.try_emplace(op.firstAlike(to));
    if (isNew)
      list->second = followsRespelled(op, from, layout, to);
    for (LayoutAttr follows : list->second)
      if (slot.accepts(follows) && !goesWith(op, from, layout, to, follows))
        add(slot.value, follows);
  }
}

/// Whether a slot's value has a candidate that is stored as the other layout,
/// and is spelled so that an op may have both layouts.
bool Candidates::goesWith(const OpSlots &op, unsigned from, LayoutAttr layout,
                          unsigned to, LayoutAttr other) const {
  Value value = op[to].value;
  int place = find(value, other);
  if (place < 0)
    return false;
  auto knows = [&](int64_t size) { return op[to].kernels->knowsBlock(size); };
  return llvm::any_of(spellings(value, place), [&](LayoutAttr spelled) {
    return layoutsAgree(op.related(from), toStoredOrder(layout), op.related(to),
                        toStoredOrder(spelled), knows);
  });
}
