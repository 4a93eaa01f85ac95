// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Problem/OnChip.h"

#include "compiler/Layout/Problem/Crossings.h"
#include "compiler/Layout/Problem/LiveRanges.h"
#include "compiler/Layout/Problem/Replacement.h"
#include "compiler/Layout/Problem/Storage.h"

#include "llvm/ADT/Sequence.h"

#include <cmath>

using namespace npu;

struct OnChipValues::Data {
  std::shared_ptr<const LiveRanges> ranges;
  std::vector<OnChipSlot> slots;
  llvm::DenseMap<Value, unsigned> numbers; // of slots
  /// A tree: in its second half the bytes during each op, in the first, from 1
  /// on, at i the larger of 2i and 2i + 1. Some values live long.
  std::vector<double> held;
  /// Bytes besides these while an op runs that was split: what is between.
  llvm::DenseMap<size_t, double> between;
  bool limitsCopies = false;

  Data(std::shared_ptr<const LiveRanges> all, std::vector<OnChipSlot> some)
      : ranges(std::move(all)), slots(std::move(some)),
        held(2 * ranges->count) {
    for (size_t number = 0; number < slots.size(); ++number)
      enter(number);
  }

  void enter(size_t number) {
    numbers[slots[number].value] = number;
    limitsCopies |= slots[number].copies == 0;
  }

  void add(const OnChipSlot &slot) {
    slots.push_back(slot);
    enter(slots.size() - 1);
  }

  void place();
};

namespace {

/// Finds addresses, lowest first. By op the slots that live then, those that
/// begin to, and where the highest ends; slots that live through all of a long
/// function lie below all others.
class Packing {
public:
  explicit Packing(size_t ops) : during(ops), begins(ops), tops(ops) {}

  void add(OnChipSlot &slot) {
    if (slot.last - slot.first + 1 == during.size() && live == 0) {
      slot.offset = base;
      base = slot.end();
      return;
    }
    ++live;
    // Each is seen at the first op that both live through.
    std::vector<const OnChipSlot *> others(during[slot.first].begin(),
                                           during[slot.first].end());
    for (size_t op = slot.first + 1; op <= slot.last; ++op)
      llvm::append_range(others, begins[op]);
    llvm::sort(others, [](const OnChipSlot *a, const OnChipSlot *b) {
      return std::pair(a->offset, a) < std::pair(b->offset, b);
    });
    int64_t offset = base;
    for (const OnChipSlot *other : others) {
      if (other->offset - offset >= slot.bytes())
        break;
      offset = std::max(offset, other->end());
    }
    slot.offset = offset;
    begins[slot.first].push_back(&slot);
    for (size_t op = slot.first; op <= slot.last; ++op) {
      during[op].push_back(&slot);
      tops[op] = std::max(tops[op], slot.end());
    }
  }

  double top(size_t op) const {
    return static_cast<double>(std::max(base, tops[op]));
  }

private:
  std::vector<SmallVector<const OnChipSlot *, 4>> during;
  std::vector<SmallVector<const OnChipSlot *, 1>> begins;
  std::vector<int64_t> tops;
  int64_t base = 0;
  size_t live = 0; // placed above the base
};

} // namespace

void OnChipValues::Data::place() {
  const size_t ops = held.size() / 2;
  // What lives long lies low, so that the tiles of most ops find all above it.
  SmallVector<OnChipSlot *> order = llvm::to_vector(
      llvm::map_range(slots, [](OnChipSlot &slot) { return &slot; }));
  llvm::sort(order, [](const OnChipSlot *a, const OnChipSlot *b) {
    return std::make_tuple(b->last - b->first, b->bytes(), a->first, a) <
           std::make_tuple(a->last - a->first, a->bytes(), b->first, b);
  });
  Packing packing(ops);
  for (OnChipSlot *slot : order)
    packing.add(*slot);
  for (size_t op = 0; op < ops; ++op)
    held[ops + op] = packing.top(op);
  for (size_t i = ops; i-- > 1;)
    held[i] = std::max(held[2 * i], held[2 * i + 1]);
  for (OnChipSlot slot : ranges->betweens) {
    slot.offset = std::llround(packing.top(slot.first));
    between[slot.first] = static_cast<double>(slot.bytes());
    add(slot);
  }
}

OnChipValues::OnChipValues(std::shared_ptr<const LiveRanges> ranges,
                           std::vector<OnChipSlot> slots) {
  auto placed = std::make_shared<Data>(std::move(ranges), std::move(slots));
  placed->place();
  data = std::move(placed);
}

OnChipValues::OnChipValues(std::shared_ptr<const LiveRanges> ranges,
                           std::vector<OnChipSlot> slots, double held) {
  auto given = std::make_shared<Data>(std::move(ranges), std::move(slots));
  llvm::fill(given->held, held);
  for (const OnChipSlot &slot : given->slots)
    if (slot.isBetween)
      for (size_t op = 0; op < given->ranges->count; ++op)
        given->between[op] = static_cast<double>(slot.bytes());
  data = std::move(given);
}

const std::vector<double> &OnChipValues::held() const { return data->held; }
ArrayRef<OnChipSlot> OnChipValues::slots() const { return data->slots; }

double OnChipValues::peak() const {
  double most = held().size() > 1 ? held()[1] : 0;
  for (auto [op, bytes] : data->between)
    most = std::max(most, held()[held().size() / 2 + op] + bytes);
  return most;
}

bool OnChipValues::limitsCopies() const {
  return !isFree && data->limitsCopies;
}

const OnChipSlot *OnChipValues::slotOf(Value value) const {
  if (data->slots.empty())
    return nullptr;
  auto found = data->numbers.find(sourceOf(value));
  return found == data->numbers.end() ? nullptr : &data->slots[found->second];
}

static bool fits(const OnChipSlot &slot, Value value, LayoutAttr layout) {
  return layout ? storedBytes(tensorType(value), layout) <= slot.place
                : slot.isWide;
}

bool OnChipValues::holds(Value value, LayoutAttr layout) const {
  const OnChipSlot *slot = slotOf(value);
  return slot && (isFree || fits(*slot, value, layout));
}

bool OnChipValues::lacksCopy(Value value, LayoutAttr to) const {
  if (!limitsCopies())
    return false;
  const OnChipSlot *slot = slotOf(value);
  return slot && slot->copies == 0 && fits(*slot, value, to);
}

uint64_t OnChipValues::keyOf(Value value) const {
  const OnChipSlot *slot = slotOf(value);
  if (!slot)
    return 0;
  return isFree ? ~uint64_t(0)
                : 8 * static_cast<uint64_t>(slot->place) +
                      4 * static_cast<uint64_t>(slot->isWide) +
                      2 * static_cast<uint64_t>(slot->copies > 0) + 1;
}

double OnChipValues::reserved(Operation *op) const {
  auto found = data->ranges->ops.find(op);
  if (found == data->ranges->ops.end())
    return 0;
  return (isFree ? 0 : held()[held().size() / 2 + found->second]) +
         data->between.lookup(found->second);
}

double OnChipValues::reservedFor(Value value) const {
  auto found = data->ranges->of.find(sourceOf(value));
  if (found == data->ranges->of.end() || held().empty())
    return 0;
  const OnChipSlot *slot = slotOf(value);
  const double own =
      slot && slot->isBetween ? static_cast<double>(slot->bytes()) : 0;
  if (isFree)
    return own;
  double most = 0;
  size_t first = held().size() / 2 + found->second.first;
  size_t end = held().size() / 2 + found->second.second + 1;
  for (; first < end; first /= 2, end /= 2) {
    if (first % 2)
      most = std::max(most, held()[first++]);
    if (end % 2)
      most = std::max(most, held()[--end]);
  }
  return most + own;
}

OnChipValues OnChipValues::forNothing() const {
  OnChipValues same = *this;
  same.isFree = true;
  return same;
}

OnChipValues OnChipValues::everything() const {
  std::vector<OnChipSlot> slots;
  for (const LiveRange &range : data->ranges->candidates)
    slots.push_back({range.value, range.first, range.last});
  return OnChipValues(data->ranges, std::move(slots), /*held=*/0).forNothing();
}

OnChipValues npu::onChipAround(const OnChipValues &outside, Operation *op,
                               ArrayRef<std::pair<Value, Value>> same,
                               std::shared_ptr<const LiveRanges> ranges,
                               const OnChipSlot *between) {
  std::vector<OnChipSlot> kept;
  for (auto [value, own] : same)
    if (const OnChipSlot *slot = outside.slotOf(value)) {
      kept.push_back(*slot);
      kept.back().value = sourceOf(own);
    }
  if (between)
    kept.push_back(*between);
  OnChipValues inside(std::move(ranges), std::move(kept), outside.reserved(op));
  return outside.isForNothing() ? inside.forNothing() : inside;
}
