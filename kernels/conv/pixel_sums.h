// SPDX-License-Identifier: Apache-2.0
//
// The sums of a tile of pixels, whatever type the data and the results have:
// `Numbers` says how they are loaded and stored.
#ifndef NPU_KERNELS_CONV_PIXEL_SUMS_H
#define NPU_KERNELS_CONV_PIXEL_SUMS_H

#include "kernels/conv/pixel_tile.h"
#include "kernels/support/vectors.h"

#include <immintrin.h>

namespace npu::kernels::pixels {

/// The sums of some channels of a tile.
struct Sums {
  Vector of[pixelRows][tilePixels];
};

/// A row of the data of some channels, and the rows of weights that it meets in
/// the windows of either row of results.
template <typename Numbers>
struct DataRow {
  const typename Numbers::Element *data;
  const float *first, *second;
};

NPU_INLINE NPU_WIDE_ONLY Vector load(const float *from) {
  return (Vector)_mm512_loadu_ps(from);
}

/// The lanes of one column of the data.
template <typename Numbers, bool IsSome>
NPU_INLINE NPU_WIDE_ONLY Vector
loadColumn(const PixelTile &t, const typename Numbers::Element *from,
           int column, unsigned there) {
  if constexpr (!IsSome)
    return Numbers::load(from);
  return Numbers::loadSome(from,
                           static_cast<__mmask16>(t.columns[column] & there));
}

template <typename Numbers, int Window, int Stride, bool IsSome, bool IsFirst,
          bool IsSecond>
NPU_INLINE NPU_WIDE_ONLY void addRow(const PixelTile &t,
                                     const DataRow<Numbers> &row,
                                     unsigned there, Sums &sums) {
  constexpr int columns = Window + (int(tilePixels) - 1) * Stride;
#pragma clang loop unroll(full)
  for (int x = 0; x < columns; ++x) {
    const Vector data =
        loadColumn<Numbers, IsSome>(t, row.data + x * t.channels, x, there);
#pragma clang loop unroll(full)
    for (int p = 0; p < tilePixels; ++p) {
      const int tap = x - p * Stride;
      if (tap < 0 || tap >= Window)
        continue;
      if constexpr (IsFirst)
        sums.of[0][p] += data * load(row.first + tap * lanes);
      if constexpr (IsSecond)
        sums.of[1][p] += data * load(row.second + tap * lanes);
    }
  }
}

/// Rows of the data in which the windows of both rows of results, or of one,
/// have weights.
template <typename Numbers, int Window, int Stride, bool IsSome, bool IsFirst,
          bool IsSecond>
NPU_INLINE NPU_WIDE_ONLY void addRows(const PixelTile &t, int64_t v,
                                      unsigned there, int begin, int end,
                                      Sums &sums) {
  constexpr int64_t step = Window * lanes;
  const float *weights = t.weights + v * Window * step;
#pragma clang loop unroll(disable)
  for (int row = begin; row < end; ++row)
    if (const auto *data =
            static_cast<const typename Numbers::Element *>(t.data[row]))
      addRow<Numbers, Window, Stride, IsSome, IsFirst, IsSecond>(
          t,
          DataRow<Numbers>{data + v * lanes, weights + row * step,
                           weights + (row - Stride) * step},
          there, sums);
}

/// The second operand of either is what comes out if one is NaN.
NPU_INLINE NPU_WIDE_ONLY Vector between(Vector value, float least, float most) {
  const __m512 low = _mm512_max_ps(_mm512_set1_ps(least), (__m512)value);
  return (Vector)_mm512_min_ps(_mm512_set1_ps(most), low);
}

NPU_INLINE NPU_WIDE_ONLY Vector activated(const PixelTile &t, Vector value) {
  switch (t.activation) {
  case Activation::HardSigmoid:
    return between(value * t.alpha + t.beta, 0, 1);
  case Activation::HardSwish:
    return value * between(value * t.alpha + t.beta, 0, 1);
  case Activation::LeakyRelu:
    return value >= 0 ? value : value * t.alpha;
  default:
    return value;
  }
}

NPU_INLINE NPU_WIDE_ONLY Vector ended(const PixelTile &t, int64_t v,
                                      Vector sum) {
  const Vector value = activated(t, between(sum, t.least, t.most));
  return t.factors ? value * load(t.factors + v * lanes) +
                         load(t.summands + v * lanes)
                   : value;
}

NPU_INLINE NPU_WIDE_ONLY void storeFloats(const PixelTile &t, int64_t v,
                                          unsigned there, const Sums &sums) {
  for (int64_t r = 0; r < pixelRows && t.results[r]; ++r) {
    float *to = static_cast<float *>(t.results[r]) + v * lanes;
    for (int64_t p = 0; p < t.pixels; ++p, to += t.step)
      _mm512_mask_storeu_ps(to, static_cast<__mmask16>(there),
                            (__m512)ended(t, v, sums.of[r][p]));
  }
}

template <typename Numbers, int Window, int Stride, bool IsSome>
NPU_WIDE_ONLY void sumTile(const PixelTile &t) {
  static_assert(Window + Stride <= mostDataRows && Window > Stride &&
                Window + (tilePixels - 1) * Stride <= mostDataColumns);
  constexpr unsigned all = (1U << lanes) - 1;
  const bool isPlain = t.activation == Activation::None && !t.factors;
  for (int64_t v = 0; v < t.vectors; ++v) {
    const unsigned there = v == t.vectors - 1 ? t.lastLanes : all;
    Sums sums;
    const Vector bias = load(t.bias + v * lanes);
    for (auto &row : sums.of)
      for (Vector &sum : row)
        sum = bias;
    addRows<Numbers, Window, Stride, IsSome, true, false>(t, v, there, 0,
                                                          Stride, sums);
    addRows<Numbers, Window, Stride, IsSome, true, true>(t, v, there, Stride,
                                                         Window, sums);
    addRows<Numbers, Window, Stride, IsSome, false, true>(
        t, v, there, Window, Window + Stride, sums);
    if constexpr (!IsSome && Numbers::storesPlain)
      if (isPlain) {
        Numbers::storePlain(t, v, sums);
        continue;
      }
    const Sums stored = sums; // else all of them would lie in memory
    Numbers::store(t, v, there, stored);
  }
}

template <typename Numbers, int Window, int Stride>
constexpr PixelWindow windowOf() {
  return {Window, Stride, sumTile<Numbers, Window, Stride, false>,
          sumTile<Numbers, Window, Stride, true>};
}

/// The windows that there are tiles for.
template <typename Numbers>
const PixelWindow *findWindow(int64_t window, int64_t stride) {
  static const PixelWindow windows[] = {
      windowOf<Numbers, 3, 1>(), windowOf<Numbers, 3, 2>(),
      windowOf<Numbers, 5, 1>(), windowOf<Numbers, 5, 2>(),
      windowOf<Numbers, 7, 1>()};
  for (const PixelWindow &each : windows)
    if (each.window == window && each.stride == stride)
      return &each;
  return nullptr;
}

} // namespace npu::kernels::pixels

#endif // NPU_KERNELS_CONV_PIXEL_SUMS_H
