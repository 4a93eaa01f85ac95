// SPDX-License-Identifier: Apache-2.0
//
// What products of quantized data and weights are made of: a panel of columns
// and some rows.
#ifndef NPU_KERNELS_MATMUL_QUANTIZED_FACTORS_H
#define NPU_KERNELS_MATMUL_QUANTIZED_FACTORS_H

#include "kernels/matmul/panel_parameter.h"
#include "kernels/matmul/quantized_rows.h"

#include <algorithm>

namespace npu::kernels {

/// Bytes of a group of a panel, and of numbers that share them.
constexpr int64_t groupBytes = panelColumns * bytesTogether;

/// What the weights have: a scale for each column; one for each block of it;
/// zero points beside these.
enum class WeightScales { Columns, Blocks, Zeros };

/// A panel and some rows of data, which are cut alike.
struct QuantizedFactors {
  const uint8_t *panel;        // [group][column][4]
  const float *scales, *zeros; // [block][column]
  const int8_t *bytes;
  const int32_t *sums;
  const float *rowScales;
  int64_t parts, groups; // all of them
  int64_t rowBytes, groupsOfPart, partsOfBlock;
  bool isHalf; // the panel has two groups in each byte
  WeightScales kind;

  /// The rows from one on.
  QuantizedFactors from(int64_t row) const {
    QuantizedFactors rest = *this;
    rest.bytes += row * rowBytes;
    rest.sums += row * parts;
    rest.rowScales += row * parts;
    return rest;
  }
  int64_t endOf(int64_t part) const {
    return std::min((part + 1) * groupsOfPart, groups);
  }
};

/// Rows that tiles take at once.
constexpr int64_t byteTileRows = 16;

/// sums[i][column] of byteTileRows rows, by AMX. A part is whole steps of as
/// many groups as the calling thread's TileScope is deep.
void multiplyInTiles(const QuantizedFactors &factors, int64_t groupsOfStep,
                     float *sums);

} // namespace npu::kernels

#endif // NPU_KERNELS_MATMUL_QUANTIZED_FACTORS_H
