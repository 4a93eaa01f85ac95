// SPDX-License-Identifier: Apache-2.0
//
// Normalisation of rows that lie in one piece and have a mean each: what
// transformers do with tokens.
#ifndef NPU_KERNELS_TENSORNORM_NORM_ROWS_H
#define NPU_KERNELS_TENSORNORM_NORM_ROWS_H

#include <cstdint>

namespace npu::kernels {

/// Longer ones are not read three times.
constexpr int64_t longestRow = 4096;

/// Numbers of rows, those of a row next to each other.
struct OfRows {
  const float *first;
  int64_t step;
};

struct NormRows {
  int64_t count, length;
  double epsilon;
  bool isCentered;  ///< else the mean counts as 0
  bool isBiasAlong; ///< else one number is for all of a row
  OfRows data, scale, bias;
  int64_t resultStep;
};

/// (x - mean) / sqrt(variance + epsilon) * scale + bias
void normalizeEach(const NormRows &rows, float *to);

} // namespace npu::kernels

#endif // NPU_KERNELS_TENSORNORM_NORM_ROWS_H
