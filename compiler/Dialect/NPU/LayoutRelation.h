// SPDX-License-Identifier: Apache-2.0
//
// How the dimensions of an op's operands and results relate, as plain data: the
// only thing that carries a layout from one value to another. No IR in here.
#ifndef NPU_COMPILER_DIALECT_NPU_LAYOUTRELATION_H
#define NPU_COMPILER_DIALECT_NPU_LAYOUTRELATION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace npu {

/// How much an op cares about layouts.
enum class Sensitivity {
  /// Any order, the same for operands and results (elementwise).
  Agnostic,
  /// Any order; an attribute speaks of some dimensions (concat, pad, reduce).
  Light,
  /// The kernel decides (convolution, pooling, matrix product).
  Heavy,
  /// A view or copy of data: transpose, reshape, relayout.
  Data
};

/// What a logical dimension of an image-like value means.
enum class AxisRole : char {
  Batch = 'N',
  Channel = 'C',
  Depth = 'D',
  Height = 'H',
  Width = 'W',
  OutputChannel = 'O',
  InputChannel = 'I'
};

/// One role for each logical dimension, in logical order; empty: not
/// image-like, or not known. A weight's roles are O, I, spatial.
using ImageAxes = llvm::SmallVector<AxisRole, 6>;

/// A dimension of a value as a part of its op's flat indices.
struct RelatedDim {
  /// The flat index that it is a part of; `nowhere`: none, a unit dimension
  /// that a reshape adds or drops.
  int group;
  static constexpr int nowhere = -1;
  /// How many elements of the flat index a step of the dimension is worth.
  int64_t place = 1;
  /// The dimension is the whole flat index, not one digit of it.
  bool isWhole = true;

  bool operator==(const RelatedDim &other) const {
    return group == other.group && place == other.place &&
           isWhole == other.isWhole;
  }
};

/// How the dimensions of operands and results are one another's: a group is a
/// flat index, and each dimension is a group or has a place value in one. Two
/// values that share a group share that index. Examples:
///   eltwise (1x8x4x4, 8x1x1): groups 0..3; operand 1 is 1, 2, 3
///   transpose: the result's dimensions are the operand's, permuted
///   reshape 5x2x12 -> 5x6x4: 5 is a group; 2 and 12, 6 and 4 are places of one
///     of 24: 12 and 1 of the operand, 4 and 1 of the result
///   matmul: a m,k; b k,n; result m,n
/// A dimension whose index does not relate to any other (reduced, gathered
/// from) is a group of its own; it shares one where the order must carry over
/// though the extents differ (concat's axis, a convolution's channels).
struct LayoutRelation {
  using Dims = llvm::SmallVector<RelatedDim, 6>;

  int groups = 0;
  llvm::SmallVector<Dims, 4> operands; // one for each operand
  llvm::SmallVector<Dims, 1> results;  // one for each result
  /// Operands that take any layout whatever the others have: a convolution's
  /// weight, a small operand read through broadcasting.
  llvm::SmallVector<bool, 4> independent;
};

} // namespace npu

#endif // NPU_COMPILER_DIALECT_NPU_LAYOUTRELATION_H
