// SPDX-License-Identifier: Apache-2.0

#include "kernels/matmul/ranged_rows.h"

#include "kernels/support/vectors.h"

#include <limits>

namespace npu::kernels {

namespace {

constexpr float largestByte = 255;
/// Adding this to a float below 2^22 rounds it to a whole number, halves to
/// even, which stands in the lowest bits.
constexpr float rounder = 12582912;
constexpr int32_t rounderBits = 0x4b400000;
/// Beyond it a byte is at its end, whatever the zero point.
constexpr float farthest = 512;

using Whole = int32_t __attribute__((vector_size(lanes * sizeof(int32_t))));
using Bytes = uint8_t __attribute__((vector_size(lanes)));

/// The nearest whole number plus `zero`, of NaN any below 0, as a byte.
NPU_INLINE Whole byteOf(Vector number, int32_t zero) {
  number = number > -farthest ? number : Vector{} - farthest;
  number = number < farthest ? number : Vector{} + farthest;
  const Vector rounded = number + rounder;
  Whole whole;
  std::memcpy(&whole, &rounded, sizeof(whole));
  whole += zero - rounderBits;
  whole = whole > 0 ? whole : Whole{};
  return whole < 255 ? whole : Whole{} + 255;
}

/// A vector of `count` floats, and zeros behind them.
NPU_INLINE Vector firstOf(const float *from, int64_t count) {
  if (count >= lanes)
    return loadVector(from);
  Vector value = {};
  std::memcpy(&value, from, static_cast<size_t>(count) * sizeof(float));
  return value;
}

NPU_INLINE ByteRange rangeWith(const float *from, int64_t count,
                               ByteRange range) {
  Vector least = Vector{} + range.least, most = Vector{} + range.most;
  Whole isNumber = Whole{} - 1;
  for (; count > 0; from += lanes, count -= lanes) {
    const Vector value = firstOf(from, count);
    least = value < least ? value : least;
    most = value > most ? value : most;
    isNumber &= value == value;
  }
  if (__builtin_reduce_and(isNumber) == 0)
    least = most = Vector{} + std::numeric_limits<float>::quiet_NaN();
  return {-largestLane(-least), largestLane(most)};
}

NPU_INLINE void makeBytes(const float *from, int64_t count,
                          const ByteSteps &steps, uint8_t *to) {
  const Vector scale = Vector{} + steps.scale;
  for (; count > 0; from += lanes, to += lanes, count -= lanes) {
    const Whole whole = byteOf(firstOf(from, count) / scale, steps.zero);
    const auto bytes = __builtin_convertvector(whole, Bytes);
    std::memcpy(to, &bytes, sizeof(bytes));
  }
}

NPU_INLINE int32_t zeroPointOf(float number) {
  return byteOf(Vector{} + number, 0)[0];
}

} // namespace

// Functions that make no vectors themselves: those would be passed otherwise
// by each generation.

NPU_WIDE_CLONES(void, widenRange,
                (const float *from, int64_t count, ByteRange &range),
                (from, count, range)) {
  range = rangeWith(from, count, range);
}

ByteSteps stepsOf(const ByteRange &range) {
  const float width = range.most - range.least;
  const float scale = width == 0 ? 1 : width / largestByte;
  return {scale, zeroPointOf((0 - range.least) / scale)};
}

NPU_WIDE_CLONES(void, bytesByRange,
                (const float *from, int64_t count, const ByteSteps &steps,
                 uint8_t *to),
                (from, count, steps, to)) {
  makeBytes(from, count, steps, to);
}

} // namespace npu::kernels
