// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention/rows.h"

#include "kernels/support/exponentials.h"
#include "kernels/support/functions.h"

#include <algorithm>
#include <cmath>

// Sanitisers and builds without optimisation vectorise nothing; only slower.
#pragma clang diagnostic ignored "-Wpass-failed"

namespace npu::kernels::attention {

/// `count` rows, at most `lanes`, from element `at` on.
static NPU_INLINE void transposeTile(const Matrix &matrix, int64_t row,
                                     int64_t count, int64_t at, float *to) {
  Vector a[lanes] = {};
  for (int64_t i = 0; i < count; ++i)
    a[i] = loadVector(matrix.rows + (row + i) * matrix.step + at);
  transpose(a);
  for (int64_t i = 0; i < lanes; ++i)
    std::memcpy(to + i * columnsAtOnce, &a[i], sizeof(Vector));
}

NPU_WIDE_CLONES(void, packKeys, (const Matrix &matrix, float *to),
                (matrix, to)) {
  for (int64_t row = 0; row < matrix.count; row += columnsAtOnce)
    for (int64_t part = 0; part < columnsAtOnce; part += lanes) {
      const int64_t count =
          std::clamp<int64_t>(matrix.count - row - part, 0, lanes);
      float *panel = to + row * matrix.size + part;
      int64_t at = 0;
      for (; at + lanes <= matrix.size; at += lanes)
        transposeTile(matrix, row + part, count, at,
                      panel + at * columnsAtOnce);
      for (; at < matrix.size; ++at)
        for (int64_t i = 0; i < lanes; ++i)
          panel[at * columnsAtOnce + i] =
              i < count ? matrix.rows[(row + part + i) * matrix.step + at] : 0;
    }
}

NPU_WIDE_CLONES(void, packValues, (const Matrix &matrix, float *to),
                (matrix, to)) {
  for (int64_t column = 0; column < matrix.size; column += columnsAtOnce) {
    const int64_t count = std::min(columnsAtOnce, matrix.size - column);
    float *panel = to + column * matrix.count;
    for (int64_t row = 0; row < matrix.count; ++row, panel += columnsAtOnce) {
      const float *from = matrix.rows + row * matrix.step + column;
      if (count == columnsAtOnce) {
        std::memcpy(panel, from, columnsAtOnce * sizeof(float));
        continue;
      }
      std::copy_n(from, count, panel);
      std::fill_n(panel + count, columnsAtOnce - count, 0.0f);
    }
  }
}

/// `Wide` vectors of columns at once: all sums stay in registers.
template <int64_t Rows, int64_t Wide>
static NPU_INLINE void multiply(const Factors &f, float *sums,
                                int64_t sumStep) {
  for (int64_t c = 0; c < f.columns; c += Wide * lanes) {
    Vector sum[Rows][Wide] = {};
    const float *panel = f.panel + c;
    for (int64_t k = 0; k < f.length; ++k, panel += columnsAtOnce) {
      Vector numbers[Wide];
      for (int64_t v = 0; v < Wide; ++v)
        numbers[v] = loadVector(panel + v * lanes);
#pragma clang loop unroll(full)
      for (int64_t r = 0; r < Rows; ++r)
#pragma clang loop unroll(full)
        for (int64_t v = 0; v < Wide; ++v)
          sum[r][v] += f.data[r * f.step + k] * numbers[v];
    }
    for (int64_t r = 0; r < Rows; ++r)
      std::memcpy(sums + r * sumStep + c, sum[r], sizeof(sum[r]));
  }
}

/// With 32 registers.
template <int64_t Wide>
static NPU_INLINE void multiplyCount(const Factors &f, int64_t count,
                                     float *sums, int64_t sumStep) {
  switch (count) {
  case 12:
    return multiply<12, Wide>(f, sums, sumStep);
  case 11:
    return multiply<11, Wide>(f, sums, sumStep);
  case 10:
    return multiply<10, Wide>(f, sums, sumStep);
  case 9:
    return multiply<9, Wide>(f, sums, sumStep);
  case 8:
    return multiply<8, Wide>(f, sums, sumStep);
  case 7:
    return multiply<7, Wide>(f, sums, sumStep);
  case 6:
    return multiply<6, Wide>(f, sums, sumStep);
  case 5:
    return multiply<5, Wide>(f, sums, sumStep);
  case 4:
    return multiply<4, Wide>(f, sums, sumStep);
  case 3:
    return multiply<3, Wide>(f, sums, sumStep);
  case 2:
    return multiply<2, Wide>(f, sums, sumStep);
  default:
    return multiply<1, Wide>(f, sums, sumStep);
  }
}

static NPU_WIDE_ONLY void multiplyWide(const Factors &f, int64_t count,
                                       float *sums, int64_t sumStep) {
  if (f.columns > lanes)
    multiplyCount<2>(f, count, sums, sumStep);
  else
    multiplyCount<1>(f, count, sums, sumStep);
}

/// With 16 registers; at most 4 rows.
static NPU_WIDE_CLONES(void, multiplyNarrow,
                       (const Factors &f, int64_t count, float *sums,
                        int64_t sumStep),
                       (f, count, sums, sumStep)) {
  switch (count) {
  case 4:
    return multiply<4, 1>(f, sums, sumStep);
  case 3:
    return multiply<3, 1>(f, sums, sumStep);
  case 2:
    return multiply<2, 1>(f, sums, sumStep);
  default:
    return multiply<1, 1>(f, sums, sumStep);
  }
}

void multiplyRows(const Factors &factors, int64_t count, float *sums,
                  int64_t sumStep) {
  if (hasWideRegisters())
    return multiplyWide(factors, count, sums, sumStep);
  for (int64_t row = 0; row < count; row += 4) {
    Factors some = factors;
    some.data += row * factors.step;
    multiplyNarrow(some, std::min<int64_t>(4, count - row),
                   sums + row * sumStep, sumStep);
  }
}

/// One score with the scale and the mask on it.
static NPU_INLINE float masked(float score, float scale, const Mask &mask,
                               int64_t key) {
  const int64_t at = key * mask.across;
  if (mask.added)
    return score * scale + mask.added[at];
  return !mask.isOpen || mask.isOpen[at] ? score * scale : mask.fill;
}

static NPU_INLINE Vector maskedVector(Vector scores, float scale,
                                      const Mask &mask, int64_t key) {
  if (mask.added && mask.across)
    return scores * scale + loadVector(mask.added + key);
  if (mask.added)
    return scores * scale + mask.added[0];
  if (!mask.isOpen)
    return scores * scale;
  using Flags = uint8_t __attribute__((vector_size(lanes)));
  Flags flags = Flags{} + mask.isOpen[0];
  if (mask.across)
    std::memcpy(&flags, mask.isOpen + key, sizeof(flags));
  using Chosen = int32_t __attribute__((vector_size(sizeof(Vector))));
  return __builtin_convertvector(flags != 0, Chosen) ? scores * scale
                                                     : Vector{} + mask.fill;
}

/// The lanes before `count`; others are `otherwise`.
static NPU_INLINE Vector firstOf(Vector values, int64_t count,
                                 float otherwise) {
  constexpr Vector places = {0, 1, 2,  3,  4,  5,  6,  7,
                             8, 9, 10, 11, 12, 13, 14, 15};
  return places < static_cast<float>(count) ? values : Vector{} + otherwise;
}

/// Puts scale and mask on; returns the largest, for which NaN does not count
/// where there is another number.
static NPU_INLINE float maskRow(float *x, int64_t count, float scale,
                                const Mask &mask) {
  Vector most = Vector{} - HUGE_VALF;
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const Vector next = maskedVector(loadVector(x + i), scale, mask, i);
    std::memcpy(x + i, &next, sizeof(next));
    most = next > most ? next : most;
  }
  if (i == count)
    return largestLane(most);
  Vector next = loadVector(x + i);
  if (!mask.added && !mask.isOpen)
    next *= scale;
  else
    for (int64_t k = 0; k < count - i; ++k)
      next[k] = masked(next[k], scale, mask, i + k);
  std::memcpy(x + i, &next, sizeof(next));
  next = firstOf(next, count - i, -HUGE_VALF);
  return largestLane(next > most ? next : most);
}

/// exp(x - largest) of `Count` neighbours, whole vectors; returns their sums.
template <int64_t Count>
static NPU_INLINE Vector weighSome(float *x, float largest) {
#pragma clang loop vectorize_width(16) interleave_count(Count / lanes)
  for (int64_t k = 0; k < Count; ++k)
    x[k] = functions::exponentialOfNegative(x[k] - largest);
  Vector sums = loadVector(x);
  for (int64_t k = lanes; k < Count; k += lanes)
    sums += loadVector(x + k);
  return sums;
}

/// Returns the sum. Floats are added for a while only: rows may have many
/// thousand elements. The exponential of what does not count is never taken: of
/// -infinity it would be less than floats hold, which takes processors long.
static NPU_INLINE double weigh(float *x, int64_t count, float largest) {
  constexpr int64_t stretch = 64 * lanes;
  double sum = 0;
  for (int64_t i = 0; i < count;) {
    Vector sums = {};
    const int64_t stop = std::min(count, i + stretch);
    for (; i + columnsAtOnce <= stop; i += columnsAtOnce)
      sums += weighSome<columnsAtOnce>(x + i, largest);
    for (; i < stop; i += lanes) {
      const Vector last =
          firstOf(weighSome<lanes>(x + i, largest), stop - i, 0);
      std::memcpy(x + i, &last, sizeof(last));
      sums += last;
    }
    sum += sumOfLanes(sums);
  }
  return sum;
}

static NPU_WIDE_ONLY float weighWide(float *scores, int64_t count,
                                     int64_t reach, float scale,
                                     const Mask &mask) {
  const float largest = maskRow(scores, count, scale, mask);
  const double sum = weigh(scores, count, largest);
  const int64_t end = (count + lanes - 1) / lanes * lanes;
  std::fill(scores + std::min(end, reach), scores + reach, 0.0f);
  return static_cast<float>(1 / sum);
}

static NPU_WIDE_CLONES(float, maskNarrow,
                       (float *scores, int64_t count, float scale,
                        const Mask &mask),
                       (scores, count, scale, mask)) {
  return maskRow(scores, count, scale, mask);
}

float weighRow(float *scores, int64_t count, int64_t reach, float scale,
               const Mask &mask) {
  if (hasWideRegisters())
    return weighWide(scores, count, reach, scale, mask);
  const float largest = maskNarrow(scores, count, scale, mask);
  const double sum = exponentials(scores, largest, scores, count);
  std::fill(scores + count, scores + reach, 0.0f);
  return static_cast<float>(1 / sum);
}

NPU_WIDE_CLONES(void, scaleRow,
                (const float *from, float factor, float *to, int64_t count),
                (from, factor, to, count)) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = from[i] * factor;
}

} // namespace npu::kernels::attention
