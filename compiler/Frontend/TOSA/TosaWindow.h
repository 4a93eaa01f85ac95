// SPDX-License-Identifier: Apache-2.0
//
// TOSA's images are (N, spatial, C), the dialect's (N, C, spatial). Transposes
// between them are logical: with channels last in memory they are free views.
#ifndef NPU_COMPILER_FRONTEND_TOSA_TOSAWINDOW_H
#define NPU_COMPILER_FRONTEND_TOSA_TOSAWINDOW_H

#include "compiler/Frontend/TOSA/TosaNode.h"

namespace npu {

/// (A, spatial, B) to (A, B, spatial).
Value channelsFirst(TosaNode &node, Value value);
/// (A, B, spatial) to (A, spatial, B).
Value channelsLast(TosaNode &node, Value value);

/// Beginnings, then ends, from pairs as TOSA has them.
Ints padsFromPairs(ArrayRef<int64_t> pairs);

struct TosaConv {
  Value data;   // (N, C, spatial)
  Value weight; // (O, C / groups, spatial)
  Value bias;   // (O), or none
  int64_t dataZeroPoint = 0;
  Ints strides, pads, dilations;
  int64_t groups = 1;
};

/// (N, O, spatial) in the sum's element type: i32 for bytes.
Value convolve(TosaNode &node, const TosaConv &conv);

// TosaOpsResize.cpp
/// The elements at `indices` along a dimension.
Value pick(TosaNode &node, Value x, int64_t dim, ArrayRef<int64_t> indices);
/// These numbers along dimension `dim` of `rank`, as i32.
Value vectorAlong(TosaNode &node, ArrayRef<int32_t> numbers, int64_t dim,
                  int64_t rank);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_TOSA_TOSAWINDOW_H
