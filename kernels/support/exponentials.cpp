// SPDX-License-Identifier: Apache-2.0
#include "kernels/support/exponentials.h"

#include "kernels/support/functions.h"
#include "kernels/support/vectors.h"

#include <algorithm>
#include <numeric>

// Sanitisers and builds without optimisation vectorise nothing; only slower.
#pragma clang diagnostic ignored "-Wpass-failed"

namespace npu::kernels {

/// The last `count` lanes; others are 0.
static NPU_INLINE Vector lastOf(Vector values, int64_t count) {
  constexpr Vector places = {0, 1, 2,  3,  4,  5,  6,  7,
                             8, 9, 10, 11, 12, 13, 14, 15};
  return places < static_cast<float>(lanes - count) ? Vector{} : values;
}

/// Of a vector, to `y`; returns them.
static NPU_INLINE Vector exponentialsOfLanes(const float *x, float largest,
                                             float *y) {
#pragma clang loop vectorize(assume_safety) vectorize_width(16)
  for (int64_t k = 0; k < lanes; ++k)
    y[k] = functions::exponentialOfNegative(x[k] - largest);
  return loadVector(y);
}

/// Floats are added for a while only: rows may have many thousand elements.
constexpr int64_t stretch = 64 * lanes;

/// Of a vector and more. The last one has some of the one before, which do not
/// count again.
static NPU_INLINE double exponentialsOfVectors(const float *x, float largest,
                                               float *y, int64_t count) {
  float last[lanes];
  std::memcpy(last, x + count - lanes, sizeof(last));
  const int64_t before = (count - 1) / lanes * lanes;
  double sum = 0;
  Vector some = {};
  for (int64_t i = 0; i < before; i += lanes) {
    some += exponentialsOfLanes(x + i, largest, y + i);
    if (i % stretch == stretch - lanes) {
      sum += sumOfLanes(some);
      some = Vector{};
    }
  }
  some += lastOf(exponentialsOfLanes(last, largest, last), count - before);
  std::memcpy(y + count - lanes, last, sizeof(last));
  return sum + sumOfLanes(some);
}

static NPU_WIDE_ONLY double wideExponentials(const float *x, float largest,
                                             float *y, int64_t count) {
  return exponentialsOfVectors(x, largest, y, count);
}

static NPU_INLINE double sumOf(const float *x, int64_t count) {
  double sum = 0;
  int64_t i = 0;
  while (i + lanes <= count) {
    Vector some = {};
    for (const int64_t end = std::min(count, i + stretch); i + lanes <= end;
         i += lanes)
      some += loadVector(x + i);
    sum += sumOfLanes(some);
  }
  return std::accumulate(x + i, x + count, sum);
}

/// Of few, or on a processor with narrower registers.
static NPU_WIDE_CLONES(double, narrowExponentials,
                       (const float *x, float largest, float *y, int64_t count),
                       (x, largest, y, count)) {
  for (int64_t i = 0; i < count; ++i)
    y[i] = functions::exponentialOfNegative(x[i] - largest);
  return sumOf(y, count);
}

double exponentials(const float *x, float largest, float *y, int64_t count) {
  return hasWideRegisters() && count >= lanes
             ? wideExponentials(x, largest, y, count)
             : narrowExponentials(x, largest, y, count);
}

} // namespace npu::kernels
