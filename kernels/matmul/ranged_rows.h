// SPDX-License-Identifier: Apache-2.0
//
// Floats as bytes by the range that they have together, as ONNX's
// DynamicQuantizeLinear makes them, to the bit.
#ifndef NPU_KERNELS_MATMUL_RANGED_ROWS_H
#define NPU_KERNELS_MATMUL_RANGED_ROWS_H

#include <cstdint>

namespace npu::kernels {

/// Products of a sum of bytes and signed bytes: below 2^31.
constexpr int64_t deepestByteSum = 65536;

/// Zero and all numbers so far are within it; both NaN once one is.
struct ByteRange {
  float least = 0, most = 0;
};

/// A byte stands for (byte - zero) * scale.
struct ByteSteps {
  float scale;
  int32_t zero;
};

void widenRange(const float *from, int64_t count, ByteRange &range);
ByteSteps stepsOf(const ByteRange &range);

/// The bytes of `count` floats, and of zeros up to a multiple of 16.
void bytesByRange(const float *from, int64_t count, const ByteSteps &steps,
                  uint8_t *to);

} // namespace npu::kernels

#endif // NPU_KERNELS_MATMUL_RANGED_ROWS_H
