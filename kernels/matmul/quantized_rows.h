// SPDX-License-Identifier: Apache-2.0
//
// Rows of floats as bytes: groups of neighbours have a scale, by which the
// largest magnitude of them is 127.
#ifndef NPU_KERNELS_MATMUL_QUANTIZED_ROWS_H
#define NPU_KERNELS_MATMUL_QUANTIZED_ROWS_H

#include <cstdint>

namespace npu::kernels {

/// Bytes that are multiplied and added at once.
constexpr int64_t bytesTogether = 4;
/// Products of a sum: of integers up to 127 and twice 383 they stay below 2^31.
constexpr int64_t deepestSum = 16384;

/// How a row is cut: a part has one scale of the data, and one of weights.
struct RowCut {
  int64_t depth, group, part; // a group is whole parts
  int32_t sumFactor;          // with which sums of bytes are wanted

  int64_t parts() const { return (depth + part - 1) / part; }
  /// Bytes of a row: whole cache lines.
  int64_t rowBytes() const { return (depth + 63) / 64 * 64; }
};

/// Rows in scratch.
struct QuantizedRows {
  int8_t *bytes;   // [row][rowBytes], zero behind the depth
  int32_t *sums;   // [row][part] of the bytes, times sumFactor
  float *scales;   // [row][part]; NaN where an element is not finite
  float *inverses; // [part]
};

void quantizeRow(const float *from, const RowCut &cut,
                 const QuantizedRows &rows, int64_t row);

/// What the row becomes, as floats: for references.
void roundRow(const float *from, int64_t depth, int64_t group, float *to);

} // namespace npu::kernels

#endif // NPU_KERNELS_MATMUL_QUANTIZED_ROWS_H
