// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Problem/Residencies.h"

#include "compiler/Layout/Problem/Crossings.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Target/TargetSpec.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"

using namespace npu;

/// Of more the ladder has two budgets for each power of two, else four.
static constexpr size_t manyCandidates = 1000;

namespace {

/// What slots of a choice are made for.
struct SlotKind {
  enum Place { Wide, Demanded, Tight } place; // members of LiveRange
  enum Copies { ForReaders, WhereRearranged, None } copies;
};

/// What pads most and needs most copies comes first.
constexpr SlotKind slotKinds[] = {
    {SlotKind::Wide, SlotKind::ForReaders},
    {SlotKind::Demanded, SlotKind::ForReaders},
    {SlotKind::Demanded, SlotKind::WhereRearranged},
    {SlotKind::Wide, SlotKind::None},
    {SlotKind::Demanded, SlotKind::None},
    {SlotKind::Tight, SlotKind::None}};

/// The candidates' numbers, in order.
using ValueSet = std::vector<unsigned>;

/// With the most bytes of them that there are at once, wherever they lie.
struct HeldSet {
  ValueSet values;
  int64_t bytes = 0;
};

class ResidencyList {
public:
  /// `wanted`: so many choices are enough, the first of the list.
  ResidencyList(std::shared_ptr<const LiveRanges> all, double memory,
                size_t wanted)
      : ranges(std::move(all)), memory(memory), wanted(wanted) {}

  std::vector<OnChipValues> make() {
    if (memory > 0 && !ranges->candidates.empty())
      for (SlotKind kind : slotKinds)
        if (choices.size() < wanted)
          addKind(kind);
    if (choices.size() < wanted)
      addLast();
    return std::move(choices);
  }

private:
  static int64_t roundedUp(int64_t bytes) {
    return static_cast<int64_t>(llvm::alignTo(bytes, slotAlignment));
  }

  static uint64_t hashOf(ArrayRef<int64_t> numbers) {
    return llvm::xxh3_64bits(
        ArrayRef(reinterpret_cast<const uint8_t *>(numbers.data()),
                 numbers.size() * sizeof(int64_t)));
  }

  OnChipSlot slotOf(const LiveRange &range, SlotKind kind) const {
    OnChipSlot slot;
    slot.value = range.value;
    slot.first = range.first;
    slot.last = range.last;
    slot.place = roundedUp(kind.place == SlotKind::Wide       ? range.wide
                           : kind.place == SlotKind::Demanded ? range.demanded
                                                              : range.tight);
    const bool hasCopies =
        kind.copies == SlotKind::ForReaders ||
        (kind.copies == SlotKind::WhereRearranged && range.isRearranged);
    slot.copies = hasCopies ? range.readers : 0;
    slot.isWide = slot.place >= range.wide;
    return slot;
  }

  void addKind(SlotKind kind) {
    if (ranges->candidates.size() <= fewCandidates)
      return addAllSets(kind);
    std::vector<int64_t> bytes;
    for (const LiveRange &range : ranges->candidates)
      bytes.push_back(slotOf(range, kind).bytes());
    // Addresses only add to what is held: they are not sought for more.
    auto add = [&](int64_t budget) {
      HeldSet set = within(budget, bytes);
      if (static_cast<double>(set.bytes) <= memory)
        addSet(set.values, kind);
      return set.bytes;
    };
    const int64_t most = add(std::numeric_limits<int64_t>::max());
    const int64_t least = *llvm::min_element(bytes);
    for (int64_t power = int64_t(1) << 46; power >= least / 2; power /= 2)
      for (int64_t quarters : {7, 6, 5, 4})
        if (power * quarters / 4 >= least && power * quarters / 4 < most &&
            (quarters % 2 == 0 || bytes.size() <= manyCandidates) &&
            choices.size() < wanted)
          add(power * quarters / 4);
    add(0); // what is pinned
  }

  /// Those with the most bytes first.
  void addAllSets(SlotKind kind) {
    const size_t count = ranges->candidates.size();
    std::vector<std::pair<int64_t, unsigned>> order;
    for (unsigned set = 1; set < 1u << count; ++set) {
      int64_t sum = 0;
      for (unsigned i = 0; i < count; ++i)
        if (set >> i & 1)
          sum += slotOf(ranges->candidates[i], kind).bytes();
      order.push_back({-sum, set});
    }
    llvm::sort(order);
    for (auto [sum, set] : order) {
      ValueSet values;
      for (unsigned i = 0; i < count; ++i)
        if (set >> i & 1)
          values.push_back(i);
      addSet(values, kind);
    }
  }

  /// Those that take at most `budget` at any time; pinned ones in any case.
  HeldSet within(int64_t budget, ArrayRef<int64_t> bytes) {
    ArrayRef<LiveRange> all = ranges->candidates;
    std::vector<int64_t> held(ranges->count);
    int64_t always = 0, top = 0; // through all of the function; besides that
    std::vector<bool> kept(all.size());
    auto livesAlways = [&](const LiveRange &range) {
      return range.last - range.first + 1 == held.size();
    };
    auto keep = [&](size_t i, bool isForced) {
      auto during = MutableArrayRef(held).slice(all[i].first,
                                                all[i].last - all[i].first + 1);
      const bool isAlways = livesAlways(all[i]);
      const int64_t beside =
          isAlways ? top : *std::max_element(during.begin(), during.end());
      if (kept[i] || (!isForced && bytes[i] > budget - always - beside))
        return;
      kept[i] = true;
      top = std::max(top, isAlways ? 0 : beside + bytes[i]);
      if (isAlways)
        always += bytes[i];
      else
        for (int64_t &sum : during)
          sum += bytes[i];
    };
    for (size_t i = 0; i < all.size(); ++i)
      if (all[i].isPinned)
        keep(i, /*isForced=*/true);
    for (size_t i = 0; i < all.size(); ++i)
      keep(i, /*isForced=*/false);
    HeldSet set{{}, top + always};
    for (unsigned i = 0; i < all.size(); ++i)
      if (kept[i])
        set.values.push_back(i);
    return set;
  }

  void addSet(ArrayRef<unsigned> values, SlotKind kind) {
    if (choices.size() >= wanted)
      return;
    std::vector<OnChipSlot> slots;
    size_t pinned = 0;
    // What tells it from others.
    std::vector<int64_t> text;
    for (unsigned i : values) {
      const LiveRange &range = ranges->candidates[i];
      slots.push_back(slotOf(range, kind));
      pinned += range.isPinned;
      text.insert(text.end(), {i, slots.back().place, slots.back().copies});
    }
    const bool hasPinned =
        pinned == static_cast<size_t>(llvm::count_if(
                      ranges->candidates,
                      [](const LiveRange &range) { return range.isPinned; }));
    if (slots.empty() || !hasPinned || !known.insert(hashOf(text)).second)
      return;
    OnChipValues choice(ranges, std::move(slots));
    if (choice.peak() <= memory)
      choices.push_back(std::move(choice));
  }

  /// Nothing; where something has to stay, that alone.
  void addLast() {
    std::vector<OnChipSlot> pinned;
    for (const LiveRange &range : ranges->candidates)
      if (range.isPinned)
        pinned.push_back(slotOf(range, {SlotKind::Tight, SlotKind::None}));
    // In the smallest slots: if it does not fit in these, it does not.
    if (pinned.empty() || choices.empty())
      choices.emplace_back(ranges, std::move(pinned));
  }

  std::shared_ptr<const LiveRanges> ranges;
  const double memory;
  const size_t wanted;
  llvm::DenseSet<uint64_t> known; // sets with their slots, hashed
  std::vector<OnChipValues> choices;
};

} // namespace

std::vector<OnChipValues> npu::residenciesOf(const LayoutProblem &problem,
                                             size_t wanted) {
  const TargetSpec &target = problem.target;
  auto ranges = rangesOf(problem.function, target, problem.axes);
  if (target.machine.sramKiB > 0)
    findDemands(problem, *ranges);
  return ResidencyList(std::move(ranges), target.machine.sramKiB * 1024, wanted)
      .make();
}

std::string npu::residencySpace() {
  return "of values on the chip all sets of up to " +
         std::to_string(fewCandidates) +
         ", of more a ladder of budgets, in slots of three paddings, with "
         "places for copies and without";
}

namespace {

/// What an op costs at least, by which of the values that it touches are on the
/// chip: few of all the choices differ in that.
struct OpBound {
  SmallVector<Value, 4> touched;
  SmallVector<std::pair<uint64_t, int64_t>, 4> known;

  explicit OpBound(Operation *op) {
    auto touch = [&](Value value) {
      Value source = sourceOf(value);
      if (!llvm::is_contained(touched, source))
        touched.push_back(source);
    };
    llvm::for_each(op->getOperands(), touch);
    llvm::for_each(op->getResults(), touch);
  }
};

} // namespace

std::vector<ResidencyBound> npu::boundsOf(
    ArrayRef<OnChipValues> choices, ArrayRef<Operation *> ops,
    llvm::function_ref<int64_t(size_t, const OnChipValues &)> leastOf) {
  std::vector<ResidencyBound> bounds(choices.size());
  for (size_t i = 0; i < choices.size(); ++i)
    bounds[i].number = i;
  if (choices.size() == 1)
    return bounds;
  for (auto [index, op] : llvm::enumerate(ops)) {
    if (!op)
      continue;
    OpBound bound(op);
    for (auto [choice, sum] : llvm::zip(choices, bounds)) {
      if (bound.touched.size() > 64) { // a set has 64 bits
        sum.least += leastOf(index, choice.forNothing());
        continue;
      }
      uint64_t set = 0;
      for (auto [bit, value] : llvm::enumerate(bound.touched))
        set |= uint64_t(choice.contains(value)) << bit;
      const auto *at = llvm::find_if(
          bound.known, [&](const auto &one) { return one.first == set; });
      if (at == bound.known.end()) {
        bound.known.push_back({set, leastOf(index, choice.forNothing())});
        at = &bound.known.back();
      }
      sum.least += at->second;
    }
  }
  llvm::sort(bounds, [&](const ResidencyBound &a, const ResidencyBound &b) {
    return std::make_tuple(a.least, choices[a.number].peak(), a.number) <
           std::make_tuple(b.least, choices[b.number].peak(), b.number);
  });
  return bounds;
}
