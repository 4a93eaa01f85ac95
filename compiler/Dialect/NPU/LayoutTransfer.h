// SPDX-License-Identifier: Apache-2.0
//
// Carries the stored order of one value of an op to another, through the flat
// indices that their dimensions share. Pure functions of integers: forward and
// backward inference, views and verifiers all stand on this one.
#ifndef NPU_COMPILER_DIALECT_NPU_LAYOUTTRANSFER_H
#define NPU_COMPILER_DIALECT_NPU_LAYOUTTRANSFER_H

#include "compiler/Dialect/NPU/Digits.h"
#include "compiler/Dialect/NPU/LayoutRelation.h"

#include <optional>
#include <string>

namespace npu {

/// One value of a relation: its dimensions in their groups, and its extents.
struct RelatedValue {
  const LayoutRelation::Dims &dims;
  llvm::ArrayRef<int64_t> shape;

  /// The dimension that is all of a group; -1: none.
  int64_t wholeDim(int group) const;
};

struct TransferResult {
  /// Empty where the order does not carry over; `whyNot` is one clause then.
  std::optional<StoredOrder> layout;
  /// By dimension of the target value: whether the source decides its place.
  /// That of the others (broadcast, gathered) is a guess.
  llvm::SmallVector<bool, 6> known;
  /// Every dimension larger than 1 is known.
  bool complete = true;
  /// One clause on padding that is said of another dimension than the one that
  /// the source says it of; empty: there is none. The layout is a view then,
  /// but nothing that anybody would ask for.
  std::string movedPadding;
  std::string whyNot;
};

/// The order that `to` has when `from` is stored as `layout`, so that the op
/// runs on (or looks at) the same order of bytes. Where a reshape merges or
/// drops dimensions, what is padding alone belongs to none of them: two
/// spellings of one storage have the same one behind it.
TransferResult transferLayout(const RelatedValue &from,
                              const StoredOrder &layout,
                              const RelatedValue &to);

/// An order of which some dimensions are known, the others where they are in
/// `open`. It may have more blocks than there is room for.
StoredOrder mergeOrders(const StoredOrder &order, llvm::ArrayRef<bool> known,
                        const StoredOrder &open);

} // namespace npu

#endif // NPU_COMPILER_DIALECT_NPU_LAYOUTTRANSFER_H
