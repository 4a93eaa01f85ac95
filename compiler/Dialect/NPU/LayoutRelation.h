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

/// An inner block of a layout: `size` elements of logical dimension `dim`.
struct LayoutBlock {
  int64_t dim;
  int64_t size;
  bool operator==(const LayoutBlock &other) const {
    return dim == other.dim && size == other.size;
  }
};

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

/// The dimensions of operands and results written in common factors. A
/// dimension is a product of factors, outermost first; two values that share a
/// factor share that part of their index. Examples:
///   eltwise (1x8x4x4, 8x1x1): f0..f3; operand 1 is [f1],[f2],[f3]
///   transpose: the result's dimensions are the operand's, permuted
///   reshape 2x12 -> 6x4: f0 = 2, f1 = 3, f2 = 4; [f0],[f1 f2] -> [f0 f1],[f2]
///   matmul: a [m],[k]; b [k],[n]; result [m],[n]
/// A dimension of extent 1 keeps its factor (it tells which axis it is) but
/// takes no part in the order; a unit dimension that a reshape adds or drops
/// has none. A dimension whose index does not relate to any other (reduced,
/// gathered from) still gets a factor of its own; it shares one where the order
/// must carry over though the extents differ (concat's axis, a convolution's
/// channels).
struct LayoutRelation {
  using Factors = llvm::SmallVector<int, 2>;
  using Dims = llvm::SmallVector<Factors, 6>;

  llvm::SmallVector<int64_t, 8> sizes; // extent of each factor
  llvm::SmallVector<Dims, 4> operands; // one for each operand
  llvm::SmallVector<Dims, 1> results;  // one for each result
  /// Parts of a reshape without common factors (6x4 to 4x6). Where the factors
  /// on one side lie next to each other, in order, in memory, they are the
  /// factors on the other side.
  struct Regroup {
    Factors operand, result;
  };
  llvm::SmallVector<Regroup, 1> regroups;
  /// Operands that take any layout whatever the others have: a convolution's
  /// weight, a small operand read through broadcasting.
  llvm::SmallVector<bool, 4> independent;
};

} // namespace npu

#endif // NPU_COMPILER_DIALECT_NPU_LAYOUTRELATION_H
