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

/// The dimensions of operands and results written in common factors. A
/// dimension is a product of factors, outermost first; two values that share a
/// factor share that part of their index. Examples:
///   eltwise (1x8x4x4, 8x1x1): f0..f3; operand 1 is [f1],[u],[u], u = unit
///   transpose: the result's dimensions are the operand's, permuted
///   reshape 2x12 -> 6x4: f0 = 2, f1 = 3, f2 = 4; [f0],[f1 f2] -> [f0 f1],[f2]
///   matmul: a [m],[k]; b [k],[n]; result [m],[n]
/// A unit dimension has no factors. A dimension whose index does not relate to
/// any other (concatenated, padded, reduced) still gets a factor of its own, or
/// shares one where the order must carry over (concat's axis).
struct LayoutRelation {
  using Factors = llvm::SmallVector<int, 2>;
  using Dims = llvm::SmallVector<Factors, 6>;

  llvm::SmallVector<int64_t, 8> sizes; // extent of each factor
  llvm::SmallVector<Dims, 4> operands; // one for each operand
  llvm::SmallVector<Dims, 1> results;  // one for each result
  /// Operands that take any layout whatever the others have: a convolution's
  /// weight, a small operand read through broadcasting.
  llvm::SmallVector<bool, 4> independent;
};

} // namespace npu

#endif // NPU_COMPILER_DIALECT_NPU_LAYOUTRELATION_H
