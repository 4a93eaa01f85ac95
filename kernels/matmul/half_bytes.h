// SPDX-License-Identifier: Apache-2.0
//
// Few rows of floats times numbers of four bits. Eight numbers of a column
// share four bytes: a shift brings one to the lowest bits of its lane, where it
// is the index of a float in a register.
#ifndef NPU_KERNELS_MATMUL_HALF_BYTES_H
#define NPU_KERNELS_MATMUL_HALF_BYTES_H

#include "kernels/matmul/panel_parameter.h"

#include <algorithm>

namespace npu::kernels {

/// Up to `strip` rows of data; number k of row i lies at rows[i][k * step].
struct DataRows {
  const float *rows[strip];
  int64_t count, step;
};

/// The rows from one on.
inline DataRows rowsFrom(const DataRows &data, int first) {
  DataRows rest = data;
  std::copy(data.rows + first, data.rows + data.count, rest.rows);
  rest.count -= first;
  return rest;
}

/// Rows of a panel of packed weights with one row of scales and zero points.
struct PackedBlock {
  const uint8_t *units; // from that of the first row on
  int64_t first, rows;  // `first`: of the unit
  const float *scales, *zeros;
  bool isOneZero; // for all columns
};

/// Of numbers of four bits: rows of a unit, [column][row].
constexpr int64_t halfByteRows = 8;

/// Adds to sums[i][column] the products with `data` from its number `first` on.
/// On a processor with registers of 512 bits. False, and nothing is added, of
/// rows that are no whole units, and if the data is not finite, where zero
/// points that differ need another order of sums.
bool multiplyHalfBytes(const PackedBlock &block, const DataRows &data,
                       int64_t first, float *sums);

} // namespace npu::kernels

#endif // NPU_KERNELS_MATMUL_HALF_BYTES_H
