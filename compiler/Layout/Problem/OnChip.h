// SPDX-License-Identifier: Apache-2.0
//
// Which values stay in on-chip memory between their producer and their readers,
// and where.
#ifndef NPU_COMPILER_LAYOUT_PROBLEM_ONCHIP_H
#define NPU_COMPILER_LAYOUT_PROBLEM_ONCHIP_H

#include "compiler/Layout/Problem/ImageAxes.h"

#include <memory>

namespace npu {

/// Slots begin and end at multiples of so many bytes.
constexpr int64_t slotAlignment = 16;

/// Where a value lies from the op that makes it to the last one that reads it.
struct OnChipSlot {
  Value value;
  size_t first = 0, last = 0; // of the function's computing ops, in order
  int64_t place = 0;          // bytes for the value in one layout
  int64_t copies = 0;         // places for other layouts, behind the first
  bool isWide = false;        // the place holds the largest block padding
  /// Of a split op's value between, above all else that is there meanwhile.
  bool isBetween = false;
  int64_t offset = 0;

  int64_t bytes() const { return place * (1 + copies); }
  int64_t end() const { return offset + bytes(); }
};

struct LiveRanges;

/// A choice of such values, each in a slot of its own. It does not depend on
/// the layouts that they get, so that what an op costs depends on its own
/// layouts only: a value whose layout takes more than its place is not on the
/// chip, and none gets a second layout there without a place for it.
class OnChipValues {
public:
  /// `slots` get their offsets.
  OnChipValues(std::shared_ptr<const LiveRanges> ranges,
               std::vector<OnChipSlot> slots);
  /// In an op's place: the slots as they are, and so many bytes held besides
  /// that of a value between.
  OnChipValues(std::shared_ptr<const LiveRanges> ranges,
               std::vector<OnChipSlot> slots, double held);

  /// Of a relayout or view: of what it is made from; null: it is not here.
  const OnChipSlot *slotOf(Value value) const;
  bool contains(Value value) const { return slotOf(value) != nullptr; }
  /// Whether the value is on the chip in this layout; null: in whatever layout
  /// it has.
  bool holds(Value value, LayoutAttr layout) const;
  /// Whether a relayout to this layout would need a place that is not there.
  bool lacksCopy(Value value, LayoutAttr to) const;
  /// All that costs depend on of a value's slot, for keys.
  uint64_t keyOf(Value value) const;

  /// Bytes below the lowest address that is free to the tiles of an op.
  double reserved(Operation *op) const;
  /// The same while a relayout of the value runs, wherever it stands.
  double reservedFor(Value value) const;
  /// The most of any op.
  double peak() const;

  ArrayRef<OnChipSlot> slots() const;
  /// Whether some value has no place for a second layout.
  bool limitsCopies() const;

  /// The same values in any layout, which take nothing: no op costs less with
  /// these values on the chip.
  OnChipValues forNothing() const;
  bool isForNothing() const { return isFree; }
  /// All values that may ever stay, for nothing: an op costs no less with any
  /// other choice.
  OnChipValues everything() const;

private:
  struct Data;
  const std::vector<double> &held() const;

  std::shared_ptr<const Data> data;
  bool isFree = false;
};

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_PROBLEM_ONCHIP_H
