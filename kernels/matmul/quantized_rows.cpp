// SPDX-License-Identifier: Apache-2.0

#include "kernels/matmul/quantized_rows.h"

#include "kernels/support/vectors.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace npu::kernels {

namespace {

constexpr float largestByte = 127;
constexpr uint32_t signless = 0x7fffffff, infinite = 0x7f800000;
/// Adding this to a float below 2^22 rounds it to a whole number, halves to
/// even, which stands in the lowest bits.
constexpr float rounder = 12582912;

template <typename T>
using Lanes = T __attribute__((vector_size(lanes * sizeof(T))));

/// What a group is multiplied by to give bytes, and the bytes to give it.
struct Steps {
  float inverse, scale;
};

NPU_INLINE uint32_t bitsOf(float number) {
  uint32_t bits;
  std::memcpy(&bits, &number, sizeof(bits));
  return bits;
}

/// Of the magnitude with these bits, which are more for infinity and NaN than
/// for numbers. A group that no float could be divided by is all zeros.
NPU_INLINE Steps stepsFor(uint32_t bits) {
  float largest;
  std::memcpy(&largest, &bits, sizeof(largest));
  const float inverse = largestByte / largest;
  if (bits >= infinite)
    return {0, std::numeric_limits<float>::quiet_NaN()};
  return bitsOf(inverse) >= infinite ? Steps{0, 0}
                                     : Steps{inverse, largest / largestByte};
}

/// The bits of the largest magnitude.
NPU_INLINE uint32_t largestOf(const float *from, int64_t count) {
  Lanes<uint32_t> found = {};
  int64_t k = 0;
  for (; k + lanes <= count; k += lanes) {
    Lanes<uint32_t> bits;
    std::memcpy(&bits, from + k, sizeof(bits));
    bits &= signless;
    found = bits > found ? bits : found;
  }
  uint32_t largest = __builtin_reduce_max(found);
  for (; k < count; ++k)
    largest = std::max(largest, bitsOf(from[k]) & signless);
  return largest;
}

/// The bytes of `count` floats, none of which is not finite unless `inverse` is
/// 0; returns their sum.
NPU_INLINE int32_t makeBytes(const float *from, int64_t count, float inverse,
                             int8_t *to) {
  if (inverse == 0) { // infinity times it would be NaN
    std::memset(to, 0, static_cast<size_t>(count));
    return 0;
  }
  Lanes<int32_t> sums = {};
  const Vector add = Vector{} + rounder;
  int64_t k = 0;
  for (; k + lanes <= count; k += lanes) {
    const Vector steps = loadVector(from + k) * inverse;
    const Vector rounded = steps + add; // not in one: the product is a float
    Lanes<int32_t> bits;
    std::memcpy(&bits, &rounded, sizeof(bits));
    const Lanes<int8_t> bytes = __builtin_convertvector(bits, Lanes<int8_t>);
    std::memcpy(to + k, &bytes, sizeof(bytes));
    sums += bits - static_cast<int32_t>(bitsOf(rounder));
  }
  int32_t sum = __builtin_reduce_add(sums);
  for (; k < count; ++k) {
    const float steps = from[k] * inverse;
    to[k] = static_cast<int8_t>(bitsOf(steps + rounder));
    sum += to[k];
  }
  return sum;
}

/// Where all groups and parts are as long as the first, `IsEven`.
template <bool IsEven>
NPU_INLINE int64_t lengthFrom(int64_t k, int64_t length, const RowCut &cut) {
  return IsEven ? length : std::min(length, cut.depth - k);
}

template <bool IsEven>
NPU_INLINE void findSteps(const float *from, const RowCut &cut, float *scales,
                          float *inverses) {
  int64_t part = 0;
  for (int64_t k = 0; k < cut.depth; k += cut.group) {
    const int64_t length = lengthFrom<IsEven>(k, cut.group, cut);
    const Steps steps = stepsFor(largestOf(from + k, length));
    for (int64_t at = 0; at < length; at += cut.part, ++part) {
      scales[part] = steps.scale;
      inverses[part] = steps.inverse;
    }
  }
}

template <bool IsEven>
NPU_INLINE void quantizeBy(const float *from, const RowCut &cut,
                           const QuantizedRows &to) {
  findSteps<IsEven>(from, cut, to.scales, to.inverses);
  int64_t part = 0;
  for (int64_t k = 0; k < cut.depth; k += cut.part, ++part)
    to.sums[part] = cut.sumFactor *
                    makeBytes(from + k, lengthFrom<IsEven>(k, cut.part, cut),
                              to.inverses[part], to.bytes + k);
}

NPU_WIDE_CLONES(void, quantize,
                (const float *from, const RowCut &cut, const QuantizedRows &to),
                (from, cut, to)) {
  constexpr int64_t usual = 32; // loops of a known length have no ends
  if (cut.group == usual && cut.part == usual && cut.depth % usual == 0)
    quantizeBy<true>(from, {cut.depth, usual, usual, cut.sumFactor}, to);
  else
    quantizeBy<false>(from, cut, to);
}

} // namespace

void quantizeRow(const float *from, const RowCut &cut,
                 const QuantizedRows &rows, int64_t row) {
  QuantizedRows to = rows;
  to.bytes += row * cut.rowBytes();
  to.sums += row * cut.parts();
  to.scales += row * cut.parts();
  std::fill(to.bytes + cut.depth, to.bytes + cut.rowBytes(), int8_t{0});
  quantize(from, cut, to);
}

void roundRow(const float *from, int64_t depth, int64_t group, float *to) {
  for (int64_t k = 0; k < depth; k += group) {
    const int64_t end = std::min(k + group, depth);
    uint32_t largest = 0;
    for (int64_t i = k; i < end; ++i)
      largest = std::max(largest, bitsOf(from[i]) & signless);
    const Steps steps = stepsFor(largest);
    for (int64_t i = k; i < end; ++i)
      to[i] =
          (steps.inverse == 0 ? 0 : std::nearbyint(from[i] * steps.inverse)) *
          steps.scale;
  }
}

} // namespace npu::kernels
