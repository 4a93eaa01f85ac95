// SPDX-License-Identifier: Apache-2.0
//
// Products of bytes in AMX's tiles. While a part of the depth is summed in
// tiles, the sums of the part before are scaled in vectors.

#include "kernels/matmul/quantized_factors.h"
#include "kernels/support/vectors.h"

#include <immintrin.h>

#define NPU_BYTE_TILES                                                         \
  __attribute__((target("arch=x86-64-v4,amx-tile,amx-int8")))

namespace npu::kernels {

namespace {

constexpr int vectors = panelColumns / lanes;
/// Bytes of the columns of a tile.
constexpr int64_t tileBytes = lanes * bytesTogether;

/// Sums of bytes of one part of the depth.
struct PartSums {
  alignas(64) int32_t of[byteTileRows][panelColumns];
};

NPU_INLINE NPU_BYTE_TILES void sumPart(const QuantizedFactors &f, int64_t part,
                                       int64_t groupsOfStep, PartSums &sums) {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  const int64_t end = f.endOf(part);
  for (int64_t g = part * f.groupsOfPart; g < end; g += groupsOfStep) {
    const uint8_t *panel = f.panel + g * groupBytes;
    _tile_loadd(4, f.bytes + g * bytesTogether, f.rowBytes);
    _tile_loadd(6, panel, groupBytes);
    _tile_dpbsud(0, 4, 6);
    _tile_loadd(7, panel + tileBytes, groupBytes);
    _tile_dpbsud(1, 4, 7);
    _tile_loadd(6, panel + 2 * tileBytes, groupBytes);
    _tile_dpbsud(2, 4, 6);
    _tile_loadd(7, panel + 3 * tileBytes, groupBytes);
    _tile_dpbsud(3, 4, 7);
  }
  constexpr int64_t rowBytes = panelColumns * sizeof(int32_t);
  _tile_stored(0, sums.of[0], rowBytes);
  _tile_stored(1, sums.of[0] + lanes, rowBytes);
  _tile_stored(2, sums.of[0] + 2 * lanes, rowBytes);
  _tile_stored(3, sums.of[0] + 3 * lanes, rowBytes);
}

template <WeightScales Kind>
NPU_INLINE NPU_BYTE_TILES void addPart(const QuantizedFactors &f, int64_t part,
                                       const PartSums &whole, float *sums) {
  const int64_t block = part / f.partsOfBlock * panelColumns;
  __m512 scales[vectors], zeros[vectors];
  for (int v = 0; v < vectors; ++v) {
    scales[v] = Kind == WeightScales::Columns
                    ? _mm512_set1_ps(1)
                    : _mm512_loadu_ps(f.scales + block + v * lanes);
    zeros[v] = Kind == WeightScales::Zeros
                   ? _mm512_loadu_ps(f.zeros + block + v * lanes)
                   : _mm512_setzero_ps();
  }
  for (int64_t i = 0; i < byteTileRows; ++i, sums += panelColumns) {
    const int64_t at = i * f.parts + part;
    const __m512i own = _mm512_set1_epi32(f.sums[at]);
    const __m512 rowScale = _mm512_set1_ps(f.rowScales[at]);
    for (int v = 0; v < vectors; ++v) {
      __m512i sum = _mm512_load_si512(whole.of[i] + v * lanes);
      if (Kind != WeightScales::Zeros)
        sum = _mm512_add_epi32(sum, own);
      __m512 real = _mm512_cvtepi32_ps(sum);
      if (Kind == WeightScales::Zeros)
        real = _mm512_fnmadd_ps(zeros[v], _mm512_cvtepi32_ps(own), real);
      if (Kind != WeightScales::Columns)
        real = _mm512_mul_ps(real, scales[v]);
      float *to = sums + v * lanes;
      _mm512_storeu_ps(to,
                       _mm512_fmadd_ps(real, rowScale, _mm512_loadu_ps(to)));
    }
  }
}

template <WeightScales Kind>
NPU_BYTE_TILES void multiply(const QuantizedFactors &f, int64_t groupsOfStep,
                             float *sums) {
  PartSums whole[2];
  std::fill_n(sums, byteTileRows * panelColumns, 0.0f);
  sumPart(f, 0, groupsOfStep, whole[0]);
  for (int64_t part = 0; part < f.parts; ++part) {
    if (part + 1 < f.parts)
      sumPart(f, part + 1, groupsOfStep, whole[(part + 1) % 2]);
    addPart<Kind>(f, part, whole[part % 2], sums);
  }
  if (Kind != WeightScales::Columns)
    return;
  for (int64_t i = 0; i < byteTileRows; ++i, sums += panelColumns)
    for (int64_t n = 0; n < panelColumns; n += lanes)
      _mm512_storeu_ps(sums + n, _mm512_mul_ps(_mm512_loadu_ps(sums + n),
                                               _mm512_loadu_ps(f.scales + n)));
}

} // namespace

void multiplyInTiles(const QuantizedFactors &factors, int64_t groupsOfStep,
                     float *sums) {
  switch (factors.kind) {
  case WeightScales::Columns:
    return multiply<WeightScales::Columns>(factors, groupsOfStep, sums);
  case WeightScales::Blocks:
    return multiply<WeightScales::Blocks>(factors, groupsOfStep, sums);
  case WeightScales::Zeros:
    return multiply<WeightScales::Zeros>(factors, groupsOfStep, sums);
  }
}

} // namespace npu::kernels
