// SPDX-License-Identifier: Apache-2.0
//
// What stays on the chip has room there: of each case the slots, of the plan's
// case what lies in them and the tiles beside them.
#include "certificate/certificate.h"

#include <algorithm>
#include <map>
#include <utility>

namespace npu::certificate {

static std::string nameOf(const Slot &slot) {
  return "the slot of value " + std::to_string(slot.values[0]);
}

/// Slots that live together lie apart, and all within the memory.
static void checkApart(const Case &one, int64_t memory, Work &work) {
  std::vector<const Slot *> slots, live;
  for (const Slot &slot : one.slots)
    slots.push_back(&slot);
  std::sort(slots.begin(), slots.end(),
            [](auto *a, auto *b) { return a->first < b->first; });
  for (const Slot *slot : slots) {
    live.erase(
        std::remove_if(live.begin(), live.end(),
                       [&](auto *other) { return other->last < slot->first; }),
        live.end());
    work.spend(8 + 2 * live.size());
    if (slot->end() > memory)
      throw Refuted(nameOf(*slot) + " ends at byte " +
                    std::to_string(slot->end()) + " of " +
                    std::to_string(memory) + " on the chip");
    for (const Slot *other : live)
      if (slot->offset < other->end() && other->offset < slot->end())
        throw Refuted(nameOf(*slot) + " and that of value " +
                      std::to_string(other->values[0]) +
                      " take the same bytes at once");
    live.push_back(slot);
  }
}

/// By value its slot, null where it has none; each op finds them alive.
static std::vector<const Slot *> slotsOf(const Certificate &all,
                                         const Case &one, Work &work) {
  std::vector<const Slot *> slots(all.values.size(), nullptr);
  for (const Slot &slot : one.slots)
    for (int64_t value : slot.values)
      if (std::exchange(slots[value], &slot))
        throw Malformed("value " + std::to_string(value) + " has two slots");
  for (size_t i = 0; i < all.ops.size(); ++i)
    for (const Numbers *values : {&all.ops[i].reads, &all.ops[i].makes})
      for (int64_t value : *values) {
        work.spend(4);
        const Slot *slot = slots[value];
        if (slot && (int64_t(i) < slot->first || int64_t(i) > slot->last))
          throw Refuted(nameOf(*slot) + " does not live while op " +
                        std::to_string(i) + " runs");
      }
  return slots;
}

/// Adds a place to a slot's, up to the first beyond it: there may be many.
static void addPlace(int64_t &bytes, const Slot &slot) {
  bytes += bytes <= slot.bytes ? slot.place : 0;
}

/// The plan's layouts have places in their slots, and its tiles lie behind
/// them. A layout that takes more than a place is in DRAM.
static void checkPlanFits(const Certificate &all,
                          const std::vector<const Slot *> &slots, Work &work) {
  const Case &one = all.cases[all.planCase];
  // The layouts in which a value is stored and read: whatever is made on the
  // way from the one to another goes when that is there.
  std::vector<uint64_t> stored(all.values.size(), 0), there = stored;
  for (size_t i = 0; i < all.ops.size(); ++i) {
    const auto &[reads, makes] = all.ops[i];
    const Numbers &way = all.ways[one.ways[i]][all.planWays[i]];
    for (size_t k = 0; k < makes.size(); ++k)
      stored[makes[k]] = 1ull << way[1 + reads.size() + k];
    for (size_t k = 0; k < reads.size(); ++k)
      if (way[1 + k] != asStored)
        there[reads[k]] |= 1ull << way[1 + k];
  }
  std::map<const Slot *, int64_t> taken, enough; // bytes
  // A layout is made when its reader comes. Until then it is not there, or one
  // is from which it will be made, so that a place for each reader and one to
  // make the next in always do, however long the way from layout to layout is.
  for (const Slot &slot : one.slots)
    enough[&slot] = slot.place;
  for (const auto &[reads, makes] : all.ops)
    for (int64_t value : reads) {
      work.spend(4 + makes.size());
      const Slot *slot = slots[value];
      const bool isView =
          std::any_of(makes.begin(), makes.end(),
                      [&](int64_t made) { return slots[made] == slot; });
      if (slot && !isView)
        addPlace(enough[slot], *slot);
    }
  for (size_t value = 0; value < slots.size(); ++value) {
    work.spend(all.values[value]);
    for (int64_t layout = 0; slots[value] && layout < all.values[value];
         ++layout) {
      const Slot &slot = *slots[value];
      // What a view shows of a value lies where the value does.
      const bool isValue = slot.values[0] == int64_t(value);
      const uint64_t mine = isValue ? there[value] | stored[value]
                                    : there[value] & ~stored[value];
      if (mine >> layout & 1 && all.bytes[value][layout] <= slot.place)
        addPlace(taken[&slot], slot);
    }
  }
  Numbers tops(all.ops.size(), 0);
  for (const Slot &slot : one.slots) {
    if (std::min(taken[&slot], enough[&slot]) > slot.bytes)
      throw Refuted(nameOf(slot) +
                    " has too few places for the plan's layouts");
    work.spend(slot.last - slot.first + 1);
    for (int64_t i = slot.first; i <= slot.last; ++i)
      tops[i] = std::max(tops[i], slot.end());
  }
  for (size_t i = 0; i < all.ops.size() && all.memory > 0; ++i)
    if (tops[i] + all.planTiles[i] > all.memory)
      throw Refuted("the tiles of op " + std::to_string(i) +
                    " do not fit beside what stays on the chip");
}

void checkSlots(const Certificate &all, Work &work) {
  for (size_t i = 0; i < all.cases.size(); ++i) {
    checkApart(all.cases[i], all.memory, work);
    auto slots = slotsOf(all, all.cases[i], work);
    if (int64_t(i) == all.planCase)
      checkPlanFits(all, slots, work);
  }
}

} // namespace npu::certificate
