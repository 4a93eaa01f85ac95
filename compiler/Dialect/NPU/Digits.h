// SPDX-License-Identifier: Apache-2.0
//
// A layout as digits: how the index of each logical dimension is written in
// mixed radix, and in which sequence its digits lie in memory. Permutations,
// blocks, tiles and sticks are such sequences. No IR in here.
#ifndef NPU_COMPILER_DIALECT_NPU_DIGITS_H
#define NPU_COMPILER_DIALECT_NPU_DIGITS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace npu {

/// An inner block of a layout: `size` elements of logical dimension `dim`.
struct LayoutBlock {
  int64_t dim;
  int64_t size;
  bool operator==(const LayoutBlock &other) const {
    return dim == other.dim && size == other.size;
  }
};

/// A layout as it is spelled: logical dimensions, outermost first, then inner
/// blocks.
struct StoredOrder {
  llvm::SmallVector<int64_t, 6> order;
  llvm::SmallVector<LayoutBlock, 2> blocks;

  static StoredOrder rowMajor(size_t rank);
  bool operator==(const StoredOrder &other) const {
    return order == other.order && blocks == other.blocks;
  }
};

/// How many elements all blocks of a layout may hold together: what the format
/// can say of one, and far from what overflows.
constexpr int64_t largestBlocks = std::numeric_limits<int32_t>::max();

/// A digit of the index of dimension `dim`: (index / place) % size. `place` is
/// the number of elements that a step of the digit is worth. Only the outermost
/// digit of a dimension may have more values than its extent needs: padding.
struct Digit {
  int64_t dim;
  int64_t place;
  int64_t size;
  bool operator==(const Digit &other) const {
    return dim == other.dim && place == other.place && size == other.size;
  }
};
using Digits = llvm::SmallVector<Digit, 8>;

/// Elements of each dimension that lie together in the layout's blocks: the
/// place of the digit that stands in `order`.
llvm::SmallVector<int64_t, 6> elementsInBlocks(const StoredOrder &layout,
                                               size_t rank);

/// The digits as they are spelled, outermost in memory first: those in `order`,
/// then the blocks; those of one value too.
Digits writtenDigits(const StoredOrder &layout, llvm::ArrayRef<int64_t> shape);

/// The digits without those of one value, neighbours merged that are one run
/// of their dimension. What is dropped is decided by the digit's size, not by
/// the extent: a batch of 1 that is padded to 32 rows has a digit.
Digits digitsOf(const StoredOrder &layout, llvm::ArrayRef<int64_t> shape);

/// Whether the layout has no more blocks, with no more elements, than there is
/// room for.
bool isPossible(const StoredOrder &layout);

/// The same as one sequence of `order` and blocks, with as few blocks as will
/// do. Dimensions without a digit in the order are left out of `order`.
/// Nothing, with one clause in `whyNot`, where no spelling has such a sequence.
std::optional<StoredOrder> spell(llvm::ArrayRef<Digit> digits,
                                 llvm::ArrayRef<int64_t> shape,
                                 std::string &whyNot);

/// A whole layout with these digits: dimensions without a place stand behind
/// the one before them.
std::optional<StoredOrder> storedOrder(llvm::ArrayRef<Digit> digits,
                                       llvm::ArrayRef<int64_t> shape,
                                       std::string &whyNot);

/// Puts the dimensions that `order` lacks behind the one before them.
void placeBehindNeighbours(llvm::SmallVectorImpl<int64_t> &order, size_t rank);

/// The one sequence of digits of all layouts that store a value of this shape
/// alike, whichever dimensions they say its padding of; and its spelling.
Digits normalDigits(const StoredOrder &layout, llvm::ArrayRef<int64_t> shape);
StoredOrder normalForm(const StoredOrder &layout,
                       llvm::ArrayRef<int64_t> shape);

/// Whether the dimensions of more than one element follow one another alike in
/// both orders, which have the same dimensions.
bool sameOrder(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b,
               llvm::ArrayRef<int64_t> shape);

/// Whether both layouts put the elements of a value of this shape in the same
/// places, in equally many stored elements.
bool sameStorage(const StoredOrder &a, const StoredOrder &b,
                 llvm::ArrayRef<int64_t> shape);

} // namespace npu

#endif // NPU_COMPILER_DIALECT_NPU_DIGITS_H
