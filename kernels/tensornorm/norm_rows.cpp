// SPDX-License-Identifier: Apache-2.0

#include "kernels/tensornorm/norm_rows.h"

#include "kernels/support/vectors.h"

#include <cmath>

// Sanitisers and builds without optimisation vectorise nothing; only slower.
#pragma clang diagnostic ignored "-Wpass-failed"

namespace npu::kernels {

/// Vectors that are added to sums of their own, so that none waits for another.
constexpr int64_t together = 4;

/// The last `count` numbers, zeros before.
static NPU_INLINE Vector lastOf(Vector numbers, int64_t count) {
  using Places = int32_t __attribute__((vector_size(sizeof(Vector))));
  constexpr Places places = {0, 1, 2,  3,  4,  5,  6,  7,
                             8, 9, 10, 11, 12, 13, 14, 15};
  return places >= static_cast<int32_t>(lanes - count) ? numbers : Vector{};
}

/// The sum of function(x) over a row. Rows are short: floats are exact enough.
template <typename Function>
static NPU_INLINE double sumOf(const float *x, int64_t length,
                               const Function &function) {
  Vector sums[together] = {};
  int64_t i = 0;
  for (; i + together * lanes <= length; i += together * lanes)
#pragma clang loop unroll(full)
    for (int64_t k = 0; k < together; ++k)
      sums[k] += function(loadVector(x + i + k * lanes));
  for (; i + lanes <= length; i += lanes)
    sums[0] += function(loadVector(x + i));
  if (i < length && i > 0) {
    sums[1] += lastOf(function(loadVector(x + length - lanes)), length - i);
    i = length;
  }
  double sum = sumOfLanes(sums[0] + sums[1] + (sums[2] + sums[3]));
  for (; i < length; ++i)
    sum += function(x[i]);
  return sum;
}

/// `y` may be `x`: the last vector, which overlaps another, is read first.
template <int Bias>
static NPU_INLINE void normalizeRow(const float *x, int64_t length, float mean,
                                    float factor, const float *scale,
                                    const float *bias, float *y) {
  const auto at = [&](int64_t i) __attribute__((always_inline)) {
    const Vector scaled =
        (loadVector(x + i) - mean) * (factor * loadVector(scale + i));
    return Bias ? scaled + loadVector(bias + i) : scaled + bias[0];
  };
  if (length < lanes) {
    for (int64_t i = 0; i < length; ++i)
      y[i] = (x[i] - mean) * (factor * scale[i]) + bias[i * Bias];
    return;
  }
  const Vector last = at(length - lanes);
  for (int64_t i = 0; i + lanes < length; i += lanes)
    storeVector(y + i, at(i));
  storeVector(y + length - lanes, last);
}

namespace {
struct Moments {
  double mean, squares; // of what is away from the mean, in all
};
} // namespace

/// Where squares of floats are none: of huge and of tiny numbers, NaN.
static Moments exactMoments(const float *x, int64_t length, bool isCentered) {
  Moments of = {};
  for (int64_t i = 0; isCentered && i < length; ++i)
    of.mean += x[i];
  of.mean /= static_cast<double>(length);
  for (int64_t i = 0; i < length; ++i)
    of.squares += (x[i] - of.mean) * (x[i] - of.mean);
  return of;
}

static NPU_INLINE Moments momentsOf(const float *x, int64_t length,
                                    bool isCentered) {
  Moments of = {};
  if (isCentered)
    of.mean = sumOf(x, length,
                    [](auto v) __attribute__((always_inline)) { return v; }) /
              static_cast<double>(length);
  const auto mean = static_cast<float>(of.mean);
  of.squares = sumOf(x, length, [mean](auto v) __attribute__((always_inline)) {
    const auto away = v - mean;
    return away * away;
  });
  const bool isExact = of.squares > 1e-30 && of.squares < HUGE_VAL;
  return isExact ? of : exactMoments(x, length, isCentered);
}

template <int Bias>
static NPU_INLINE void normalizeAll(const NormRows &rows, float *y) {
  const float *x = rows.data.first, *scale = rows.scale.first,
              *bias = rows.bias.first;
  const auto count = static_cast<double>(rows.length);
  for (int64_t r = 0; r < rows.count; ++r) {
    const Moments of = momentsOf(x, rows.length, rows.isCentered);
    normalizeRow<Bias>(
        x, rows.length, static_cast<float>(of.mean),
        static_cast<float>(1 / std::sqrt(of.squares / count + rows.epsilon)),
        scale, bias, y);
    x += rows.data.step;
    y += rows.resultStep;
    scale += rows.scale.step;
    bias += rows.bias.step;
  }
}

NPU_WIDE_CLONES(void, normalizeEach, (const NormRows &rows, float *to),
                (rows, to)) {
  if (rows.isBiasAlong)
    return normalizeAll<1>(rows, to);
  return normalizeAll<0>(rows, to);
}

} // namespace npu::kernels
