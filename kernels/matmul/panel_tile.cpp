// SPDX-License-Identifier: Apache-2.0

#include "kernels/matmul/panel_tile.h"

#include "kernels/support/vectors.h"

#include <algorithm>
#include <immintrin.h>

namespace npu::kernels {

/// Narrow panels, whose last vector would be half empty, are of half vectors.
using Half = float __attribute__((vector_size(lanes / 2 * sizeof(float))));

template <typename V>
constexpr int64_t lanesOf = static_cast<int64_t>(sizeof(V) / sizeof(float));

template <typename V>
static NPU_INLINE NPU_WIDE_ONLY V load(const float *from) {
  V value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

/// The columns of a panel's last vector that the result has.
template <typename V>
static NPU_INLINE unsigned lastColumns(const PanelTile &t) {
  return (1U << (t.columns - (t.width - lanesOf<V>))) - 1;
}

/// Vectors of which only some lanes are in memory; the others are 0.
template <typename V>
static NPU_INLINE NPU_WIDE_ONLY V loadSome(const float *from, unsigned some) {
  if constexpr (lanesOf<V> == lanes)
    return (V)_mm512_maskz_loadu_ps(static_cast<__mmask16>(some), from);
  else
    return (V)_mm256_maskz_loadu_ps(static_cast<__mmask8>(some), from);
}
template <typename V>
static NPU_INLINE NPU_WIDE_ONLY void storeSome(float *to, V value,
                                               unsigned some) {
  if constexpr (lanesOf<V> == lanes)
    _mm512_mask_storeu_ps(to, static_cast<__mmask16>(some), (__m512)value);
  else
    _mm256_mask_storeu_ps(to, static_cast<__mmask8>(some), (__m256)value);
}

/// Panels beyond this are in the second-level cache and are asked for ahead.
constexpr int64_t nearBytes = 16 * 1024;
constexpr int64_t rowsAhead = 16;

/// The second operand is what comes out if one is NaN.
template <typename V>
static NPU_INLINE NPU_WIDE_ONLY V between(V value, float least, float most) {
  if constexpr (lanesOf<V> == lanes) {
    const __m512 low = _mm512_max_ps(_mm512_set1_ps(least), (__m512)value);
    return (V)_mm512_min_ps(_mm512_set1_ps(most), low);
  } else {
    const __m256 low = _mm256_max_ps(_mm256_set1_ps(least), (__m256)value);
    return (V)_mm256_min_ps(_mm256_set1_ps(most), low);
  }
}

template <Activation A, typename V>
static NPU_INLINE NPU_WIDE_ONLY V activated(V value, float alpha, float beta) {
  if constexpr (A == Activation::HardSigmoid)
    return between(value * alpha + beta, 0, 1);
  if constexpr (A == Activation::HardSwish)
    return value * between(value * alpha + beta, 0, 1);
  if constexpr (A == Activation::LeakyRelu)
    return value >= 0 ? value : value * alpha;
  return value;
}

/// What is added, and bounds, and to memory; `some` are the columns of the last
/// vector.
template <typename V, int64_t Wide>
static NPU_INLINE NPU_WIDE_ONLY void storeRow(const PanelTile &t, int64_t row,
                                              const V *sums, unsigned some) {
  const float *added = t.added[row];
  float *to = t.results[row];
#pragma clang loop unroll(full)
  for (int64_t v = 0; v < Wide; ++v) {
    const int64_t at = v * lanesOf<V>;
    const bool isSome = v == Wide - 1;
    V value = sums[v];
    if (added)
      value += isSome ? loadSome<V>(added + at, some) : load<V>(added + at);
    value = between(value, t.least, t.most);
    if (isSome)
      storeSome(to + at, value, some);
    else
      std::memcpy(to + at, &value, sizeof(value));
  }
}

template <typename V, int64_t Wide, int64_t Rows>
static NPU_INLINE NPU_WIDE_ONLY void storeRows(const PanelTile &t,
                                               const V (&sums)[Rows][Wide]) {
  const unsigned some = lastColumns<V>(t);
#pragma clang loop unroll(full)
  for (int64_t r = 0; r < Rows; ++r)
    storeRow<V, Wide>(t, r, sums[r], some);
}

/// All that follows on the sums of some columns of a row, to memory.
template <typename V, Activation A, bool IsScaled>
static NPU_INLINE NPU_WIDE_ONLY void finish(const PanelTile &t, int64_t row,
                                            int64_t at, const float *sums,
                                            unsigned some) {
  V value = load<V>(sums + at);
  if (t.added[row])
    value += loadSome<V>(t.added[row] + at, some);
  value = activated<A>(between(value, t.least, t.most), t.alpha, t.beta);
  if constexpr (IsScaled)
    value = value * load<V>(t.factors + at) + load<V>(t.summands + at);
  storeSome(t.results[row] + at, value, some);
}

/// By value: what is stored could be one of a tile's numbers.
template <typename V, Activation A, bool IsScaled>
static NPU_INLINE NPU_WIDE_ONLY void finishRows(const PanelTile t,
                                                const float *sums) {
  const int64_t last = t.width - lanesOf<V>;
  for (int64_t r = 0; r < t.count; ++r, sums += t.width) {
    for (int64_t at = 0; at < last; at += lanesOf<V>)
      finish<V, A, IsScaled>(t, r, at, sums, ~0U);
    finish<V, A, IsScaled>(t, r, last, sums, lastColumns<V>(t));
  }
}

template <typename V, Activation A>
static NPU_INLINE NPU_WIDE_ONLY void finishScaled(const PanelTile &t,
                                                  const float *sums) {
  if (t.factors)
    finishRows<V, A, true>(t, sums);
  else
    finishRows<V, A, false>(t, sums);
}

template <typename V>
static NPU_WIDE_ONLY void finishTile(const PanelTile &t, const float *sums) {
  switch (t.activation) {
  case Activation::HardSigmoid:
    return finishScaled<V, Activation::HardSigmoid>(t, sums);
  case Activation::HardSwish:
    return finishScaled<V, Activation::HardSwish>(t, sums);
  case Activation::LeakyRelu:
    return finishScaled<V, Activation::LeakyRelu>(t, sums);
  default:
    return finishScaled<V, Activation::None>(t, sums);
  }
}

/// Whether sums go from registers right to the result.
static NPU_INLINE bool isPlain(const PanelTile &t) {
  return t.activation == Activation::None && !t.factors;
}

template <typename V, int64_t Wide, int64_t Rows>
static NPU_INLINE NPU_WIDE_ONLY void tileOf(const PanelTile &t) {
  constexpr int64_t width = Wide * lanesOf<V>;
  V sums[Rows][Wide];
  const float *begin = t.begun ? t.begun : t.bias;
  const int64_t rowStep = t.begun ? width : 0;
  for (int64_t v = 0; v < Wide; ++v)
    for (int64_t r = 0; r < Rows; ++r)
      sums[r][v] = load<V>(begin + r * rowStep + v * lanesOf<V>);
  const float *weights = t.weights;
  const int64_t depth = t.depth;
  const int64_t ahead =
      t.runCount * depth * width * static_cast<int64_t>(sizeof(float)) >
              nearBytes
          ? rowsAhead * width
          : 0;
  const float *next = t.next;
  const int64_t nextStep = t.nextStep;
  for (int64_t run = 0; run < t.runCount; ++run) {
    const float *rows[Rows];
    for (int64_t r = 0; r < Rows; ++r)
      rows[r] = t.runs[run][r];
    if (!rows[0]) {
      weights += depth * width;
      continue;
    }
    for (int64_t k = 0; k < depth; ++k, weights += width, next += nextStep) {
      V numbers[Wide];
      __builtin_prefetch(next, 0, 2);
#pragma clang loop unroll(full)
      for (int64_t v = 0; v < Wide; ++v) {
        numbers[v] = load<V>(weights + v * lanesOf<V>);
        if (v * lanesOf<V> % lanes == 0)
          __builtin_prefetch(weights + ahead + v * lanesOf<V>);
      }
#pragma clang loop unroll(full)
      for (int64_t r = 0; r < Rows; ++r)
#pragma clang loop unroll(full)
        for (int64_t v = 0; v < Wide; ++v)
          sums[r][v] += rows[r][k] * numbers[v];
    }
  }
  if (t.unfinished) {
    std::memcpy(t.unfinished, sums, sizeof(sums));
    return;
  }
  if (isPlain(t))
    return storeRows<V, Wide, Rows>(t, sums);
  float room[Rows * width];
  std::memcpy(room, sums, sizeof(sums));
  finishTile<V>(t, room);
}

/// `Most` rows, or fewer.
template <typename V, int64_t Wide, int64_t Most>
static NPU_INLINE NPU_WIDE_ONLY void tileOfRows(const PanelTile &t) {
  if constexpr (Most > 1)
    if (t.count < Most)
      return tileOfRows<V, Wide, Most - 1>(t);
  tileOf<V, Wide, Most>(t);
}

/// Sums and a row of the panel's weights are in registers, of which there are
/// 32, and one more is for a number of the data.
static constexpr int64_t rowsOf(int64_t vectors) {
  return std::min<int64_t>(mostTileRows, (32 - vectors - 1) / vectors);
}

int64_t panelWidth(int64_t columns) {
  constexpr int64_t half = lanes / 2;
  const bool isHalf =
      columns <= half || (columns > lanes && columns <= 3 * half);
  const int64_t together = isHalf ? half : lanes;
  return (columns + together - 1) / together * together;
}

/// Panels of up to 8 columns are too rare for more code.
constexpr int64_t narrowestRows = 4;

int64_t tileRows(int64_t width) {
  if (width == lanes / 2)
    return narrowestRows;
  return rowsOf(width % lanes ? width / (lanes / 2) : width / lanes);
}

NPU_WIDE_ONLY void multiplyTile(const PanelTile &t) {
  switch (t.width) {
  case 4 * lanes:
    return tileOfRows<Vector, 4, rowsOf(4)>(t);
  case 3 * lanes:
    return tileOfRows<Vector, 3, rowsOf(3)>(t);
  case 2 * lanes:
    return tileOfRows<Vector, 2, rowsOf(2)>(t);
  case lanes:
    return tileOfRows<Vector, 1, rowsOf(1)>(t);
  case lanes / 2 * 3:
    return tileOfRows<Half, 3, rowsOf(3)>(t);
  default:
    return tileOfRows<Half, 1, narrowestRows>(t);
  }
}

} // namespace npu::kernels
