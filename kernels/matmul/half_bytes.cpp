// SPDX-License-Identifier: Apache-2.0

#include "kernels/matmul/half_bytes.h"

#include "kernels/support/vectors.h"

#include <cmath>
#include <immintrin.h>

namespace npu::kernels {

namespace {

constexpr int vectors = panelColumns / lanes;
constexpr int64_t unitBytes = halfByteRows * panelColumns / 2;
/// What is subtracted where zero points differ; the rest of them follows.
constexpr float middle = 8;

/// The floats that numbers of four bits stand for.
NPU_INLINE NPU_WIDE_ONLY __m512 tableFrom(float zero) {
  const __m512 numbers =
      _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  return _mm512_sub_ps(numbers, _mm512_set1_ps(zero));
}

/// Row j of a unit, and what all rows of data have there.
template <int Rows>
NPU_INLINE NPU_WIDE_ONLY void
addRow(const __m512i (&unit)[vectors], unsigned j, __m512 table,
       const DataRows &data, int64_t at, __m512 (&sums)[Rows][vectors]) {
  for (int v = 0; v < vectors; ++v) {
    const __m512 number =
        _mm512_permutexvar_ps(_mm512_srli_epi32(unit[v], 4 * j), table);
    for (int i = 0; i < Rows; ++i)
      sums[i][v] = _mm512_fmadd_ps(
          number, _mm512_set1_ps(data.rows[i][at * data.step]), sums[i][v]);
  }
}

template <int Rows>
NPU_WIDE_ONLY void multiply(const PackedBlock &block, const DataRows &data,
                            int64_t first, const float *dataSums, float *sums) {
  const __m512 table = tableFrom(block.isOneZero ? block.zeros[0] : middle);
  __m512 at[Rows][vectors];
  for (auto &row : at)
    for (__m512 &sum : row)
      sum = _mm512_setzero_ps();
  const uint8_t *units = block.units;
  for (int64_t k = 0; k < block.rows; k += halfByteRows, units += unitBytes) {
    __m512i unit[vectors];
    for (int v = 0; v < vectors; ++v)
      unit[v] = _mm512_loadu_si512(units + v * 4 * lanes);
#pragma clang loop unroll(full)
    for (unsigned j = 0; j < halfByteRows; ++j)
      addRow<Rows>(unit, j, table, data, first + k + j, at);
  }
  for (int v = 0; v < vectors; ++v) {
    const __m512 scale = _mm512_loadu_ps(block.scales + v * lanes);
    const __m512 rest = _mm512_sub_ps(_mm512_loadu_ps(block.zeros + v * lanes),
                                      _mm512_set1_ps(middle));
    for (int i = 0; i < Rows; ++i) {
      float *to = sums + i * panelColumns + v * lanes;
      if (!block.isOneZero)
        at[i][v] =
            _mm512_fnmadd_ps(rest, _mm512_set1_ps(dataSums[i]), at[i][v]);
      _mm512_storeu_ps(to,
                       _mm512_fmadd_ps(at[i][v], scale, _mm512_loadu_ps(to)));
    }
  }
}

/// Of a row of data.
NPU_WIDE_ONLY float sumOf(const float *from, int64_t count, int64_t step) {
  float sum = 0;
  int64_t k = 0;
  if (step == 1) {
    __m512 some = _mm512_setzero_ps();
    for (; k + lanes <= count; k += lanes)
      some = _mm512_add_ps(some, _mm512_loadu_ps(from + k));
    sum = _mm512_reduce_add_ps(some);
  }
  for (; k < count; ++k)
    sum += from[k * step];
  return sum;
}

} // namespace

bool multiplyHalfBytes(const PackedBlock &block, const DataRows &data,
                       int64_t first, float *sums) {
  if (block.first != 0 || block.rows % halfByteRows != 0)
    return false;
  float dataSums[strip] = {};
  for (int64_t i = 0; !block.isOneZero && i < data.count; ++i) {
    dataSums[i] =
        sumOf(data.rows[i] + first * data.step, block.rows, data.step);
    if (!std::isfinite(dataSums[i]))
      return false;
  }
  switch (data.count) {
  case 1:
    multiply<1>(block, data, first, dataSums, sums);
    break;
  case 2:
    multiply<2>(block, data, first, dataSums, sums);
    break;
  case 3:
    multiply<2>(block, data, first, dataSums, sums);
    multiply<1>(block, rowsFrom(data, 2), first, dataSums + 2,
                sums + 2 * panelColumns);
    break;
  default:
    multiply<4>(block, data, first, dataSums, sums);
    break;
  }
  return true;
}

} // namespace npu::kernels
