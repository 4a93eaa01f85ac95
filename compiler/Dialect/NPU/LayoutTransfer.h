// SPDX-License-Identifier: Apache-2.0
//
// Carries the stored order of one value of an op to another, through the
// factors that their dimensions share. Pure functions of integers: forward and
// backward inference, views and verifiers all stand on this one.
#ifndef NPU_COMPILER_DIALECT_NPU_LAYOUTTRANSFER_H
#define NPU_COMPILER_DIALECT_NPU_LAYOUTTRANSFER_H

#include "compiler/Dialect/NPU/LayoutRelation.h"

#include <optional>
#include <string>

namespace npu {

/// A layout without IR: logical dimensions, outermost first, then inner blocks.
struct StoredOrder {
  llvm::SmallVector<int64_t, 6> order;
  llvm::SmallVector<LayoutBlock, 2> blocks;

  static StoredOrder rowMajor(size_t rank);
  bool operator==(const StoredOrder &other) const {
    return order == other.order && blocks == other.blocks;
  }
};

/// Whether values of this shape are stored alike: unit dimensions, and those
/// that lie in one block, may stand anywhere.
bool sameStorage(const StoredOrder &a, const StoredOrder &b,
                 llvm::ArrayRef<int64_t> shape);

/// One value of a relation: its dimensions in factors, and its extents.
struct RelatedValue {
  const LayoutRelation::Dims &dims;
  llvm::ArrayRef<int64_t> shape;
};

struct TransferResult {
  /// Empty where the order does not carry over; `whyNot` is one clause then.
  std::optional<StoredOrder> layout;
  /// False where some dimension of the target value (larger than 1) does not
  /// occur in the source (broadcast, gathered): its place is a guess.
  bool complete = true;
  std::string whyNot;
};

/// The order that `to` has when `from` is stored as `layout`, so that the op
/// runs on (or looks at) the same order of bytes.
TransferResult transferLayout(const LayoutRelation &relation,
                              const RelatedValue &from,
                              const StoredOrder &layout,
                              const RelatedValue &to);

/// Whether two values of an op are stored in orders that fit each other: the
/// dimensions they share (unit dimensions and those in one block apart) come in
/// the same order, with the same blocks.
bool layoutsAgree(const LayoutRelation &relation, const RelatedValue &a,
                  const StoredOrder &layoutA, const RelatedValue &b,
                  const StoredOrder &layoutB);

} // namespace npu

#endif // NPU_COMPILER_DIALECT_NPU_LAYOUTTRANSFER_H
