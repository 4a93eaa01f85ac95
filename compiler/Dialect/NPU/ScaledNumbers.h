// SPDX-License-Identifier: Apache-2.0
//
// Weights that are numbers of a narrower type, each times the scale of its
// channel: what a model stores in 8 bits with a scale, or in 16 bits in front
// of a norm that is folded into it. Nothing says so once constants are folded,
// but the numbers tell.
#ifndef NPU_COMPILER_DIALECT_NPU_SCALEDNUMBERS_H
#define NPU_COMPILER_DIALECT_NPU_SCALEDNUMBERS_H

#include "compiler/Dialect/NPU/NPUDialect.h"

#include <optional>
#include <vector>

namespace npu {

/// Elements that lie behind each other in one index of dimension `dim`, in
/// row-major order.
size_t innerCount(ArrayRef<int64_t> shape, int64_t dim);

/// values[i] == numbers[i] * scales[c], rounded once to f32, to the bit, where
/// c is the index of element i along `dim`.
struct ScaledNumbers {
  /// The narrowest that holds the numbers less the offsets: i8 or f16.
  int32_t dtype = 0;
  int64_t dim = 0;
  std::vector<float> numbers; ///< in row-major order, as the values
  std::vector<float> scales;
  std::vector<float> offsets; ///< of channels; empty: none has one
};

/// Of row-major values of this shape; nothing where there is no such scale
/// along the first, second or last dimension, or one for fewer than 8 elements.
std::optional<ScaledNumbers> findScaledNumbers(ArrayRef<float> values,
                                               ArrayRef<int64_t> shape);

} // namespace npu

#endif // NPU_COMPILER_DIALECT_NPU_SCALEDNUMBERS_H
