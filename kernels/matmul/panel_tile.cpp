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
static NPU_INLINE NPU_WIDE_ONLY void storeRow(const PanelTile &t,
                                              const float *added, float *to,
                                              const V *sums, unsigned some) {
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
    storeRow<V, Wide>(t, t.added[r], t.results[r], sums[r], some);
}

/// All that follows on the sums of some columns, to memory, a vector of all
/// rows after the other.
template <typename V, Activation A, bool IsScaled>
static NPU_INLINE NPU_WIDE_ONLY void finishRows(const PanelTile &t,
                                                const float *sums) {
  // What is stored could be one of a tile's numbers, but for these copies.
  const float least = t.least, most = t.most, alpha = t.alpha, beta = t.beta;
  const int64_t width = t.width, last = width - lanesOf<V>;
  for (int64_t at = 0; at < width; at += lanesOf<V>) {
    const unsigned some = at == last ? lastColumns<V>(t) : ~0U;
    V factor = {}, summand = {};
    if constexpr (IsScaled) {
      factor = load<V>(t.factors + at);
      summand = load<V>(t.summands + at);
    }
    for (int64_t r = 0; r < t.count; ++r) {
      V value = load<V>(sums + r * width + at);
      if (t.added[r])
        value += loadSome<V>(t.added[r] + at, some);
      value = activated<A>(between(value, least, most), alpha, beta);
      if constexpr (IsScaled)
        value = value * factor + summand;
      storeSome(t.results[r] + at, value, some);
    }
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

static bool isNear(const PanelTile &t) {
  return t.runCount * t.depth * t.width * static_cast<int64_t>(sizeof(float)) <=
         nearBytes;
}

bool isForRows(const PanelTile &t) { return isNear(t) && t.width % lanes == 0; }

/// The products of a run of `depth` numbers of each row.
template <bool IsNear, typename V, int64_t Wide, int64_t Rows>
static NPU_INLINE NPU_WIDE_ONLY void
addRun(const PanelTile &t, const float *const (&rows)[Rows],
       const float *weights, int64_t ahead, const float *next,
       V (&sums)[Rows][Wide]) {
  constexpr int64_t width = Wide * lanesOf<V>;
  const int64_t depth = t.depth, nextStep = t.nextStep;
  for (int64_t k = 0; k < depth; ++k, weights += width, next += nextStep) {
    V numbers[Wide];
    if constexpr (!IsNear)
      __builtin_prefetch(next, 0, 2);
#pragma clang loop unroll(full)
    for (int64_t v = 0; v < Wide; ++v) {
      numbers[v] = load<V>(weights + v * lanesOf<V>);
      if (!IsNear && v * lanesOf<V> % lanes == 0)
        __builtin_prefetch(weights + ahead + v * lanesOf<V>);
    }
#pragma clang loop unroll(full)
    for (int64_t r = 0; r < Rows; ++r)
#pragma clang loop unroll(full)
      for (int64_t v = 0; v < Wide; ++v)
        sums[r][v] += rows[r][k] * numbers[v];
  }
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
  const float *weights = t.weights, *next = t.next;
  const int64_t ahead = isNear(t) ? 0 : rowsAhead * width;
  for (int64_t run = 0; run < t.runCount; ++run, weights += t.depth * width) {
    const float *rows[Rows];
    for (int64_t r = 0; r < Rows; ++r)
      rows[r] = t.runs[run][r];
    if (!rows[0])
      continue;
    addRun<false, V, Wide, Rows>(t, rows, weights, ahead, next, sums);
    next += t.depth * t.nextStep;
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

/// Where the rows of a tile begin and what they share stays in registers.
template <typename V, int64_t Wide, int64_t Rows>
static NPU_INLINE NPU_WIDE_ONLY void tilesOf(PanelTile &t, PanelRows all) {
  constexpr int64_t width = Wide * lanesOf<V>;
  const unsigned some = lastColumns<V>(t);
  for (int64_t tile = 0; tile < all.tiles; ++tile) {
    V sums[Rows][Wide];
    const float *rows[Rows];
#pragma clang loop unroll(full)
    for (int64_t r = 0; r < Rows; ++r)
      rows[r] = all.data + r * all.dataStep;
#pragma clang loop unroll(full)
    for (int64_t v = 0; v < Wide; ++v)
#pragma clang loop unroll(full)
      for (int64_t r = 0; r < Rows; ++r)
        sums[r][v] = load<V>(t.bias + v * lanesOf<V>);
    addRun<true, V, Wide, Rows>(t, rows, t.weights, 0, nullptr, sums);
    if (isPlain(t)) {
#pragma clang loop unroll(full)
      for (int64_t r = 0; r < Rows; ++r)
        storeRow<V, Wide>(t,
                          all.added ? all.added + r * all.addedStep : nullptr,
                          all.results + r * all.resultStep, sums[r], some);
    } else {
      float room[Rows * width];
      std::memcpy(room, sums, sizeof(sums));
      for (int64_t r = 0; r < Rows; ++r) {
        t.added[r] = all.added ? all.added + r * all.addedStep : nullptr;
        t.results[r] = all.results + r * all.resultStep;
      }
      finishTile<V>(t, room);
    }
    all.data += Rows * all.dataStep;
    all.results += Rows * all.resultStep;
    if (all.added)
      all.added += Rows * all.addedStep;
  }
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

/// Whether a vector of 512 bits takes twice the time of half of it.
static bool hasHalvedUnits() {
  static const bool has = __builtin_cpu_is("znver4") != 0;
  return has;
}

int64_t panelWidth(int64_t columns) {
  constexpr int64_t half = lanes / 2;
  const bool isHalf =
      columns <= half ||
      (columns > lanes && columns <= 3 * half && hasHalvedUnits());
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

NPU_WIDE_ONLY void multiplyRows(PanelTile t, PanelRows rows) {
  t.count = tileRows(t.width);
  switch (t.width) {
  case 4 * lanes:
    return tilesOf<Vector, 4, rowsOf(4)>(t, rows);
  case 3 * lanes:
    return tilesOf<Vector, 3, rowsOf(3)>(t, rows);
  case 2 * lanes:
    return tilesOf<Vector, 2, rowsOf(2)>(t, rows);
  default:
    return tilesOf<Vector, 1, rowsOf(1)>(t, rows);
  }
}

} // namespace npu::kernels
