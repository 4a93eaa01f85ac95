// SPDX-License-Identifier: Apache-2.0
//
// mul_shift by constants, and what follows it of additions, bounds and
// conversions by single numbers, in one pass: clip((a * b >> c) + offset) +
// more.
#ifndef NPU_KERNELS_SUPPORT_SCALE_STEP_H
#define NPU_KERNELS_SUPPORT_SCALE_STEP_H

#include <cstdint>
#include <limits>
#include <vector>

namespace npu::kernels {

/// The factors and shifts of 16 numbers as vectors of 64 bits want them: those
/// at even places, those at odd ones.
struct ScaleGroup {
  static constexpr int numbers = 16;
  struct Half {
    int64_t factor[numbers / 2], shift[numbers / 2], round[numbers / 2];
    int64_t below[numbers / 2]; // added to `round` where the number is negative
  };
  Half even, odd;

  /// `twice`: as if it had been rounded at bit 30 before.
  void set(int place, int32_t factor, int32_t shift, bool twice);
};

/// What follows the product.
struct ScaleEnd {
  int32_t offset = 0;
  int32_t low = std::numeric_limits<int32_t>::min();
  int32_t high = std::numeric_limits<int32_t>::max();
  int32_t behind = 0; // added to what is bounded

  /// The same result, of which nothing is added behind the bounds.
  ScaleEnd bounded() const {
    return {offset + behind, low + behind, high + behind, 0};
  }
  /// Bounds behind those that are there: min(max(x, least), most).
  void clip(int64_t least, int64_t most);
};

/// Of numbers of few bits: a * b >> c by products of 32 bits, as what the upper
/// and the lower bits of b give.
struct SmallScale {
  static constexpr int64_t most = 256; // of numbers, with either sign
  static constexpr int32_t mostShift =
      22; // a product of those stays in 32 bits
  int32_t upper, lower, round, shift;

  SmallScale(int32_t factor, int32_t bits);
};

void scaleSmallRow(const SmallScale &scale, const int32_t *a, int32_t *out,
                   int n);

/// A row of `n` numbers; the groups repeat after `period`. `out` has room for
/// whole groups.
void scaleRow(const ScaleGroup *groups, int period, const ScaleEnd &end,
              const int32_t *a, int32_t *out, int n);

} // namespace npu::kernels

#endif // NPU_KERNELS_SUPPORT_SCALE_STEP_H
