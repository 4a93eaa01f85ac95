// SPDX-License-Identifier: Apache-2.0
//
// gemmlowp's fixed-point numbers, in which LiteRT's softmax and its logarithm
// compute bytes: as the compiler computes them, and as ops of the dialect.
#ifndef NPU_COMPILER_FRONTEND_TFLITE_TFLITEFIXED_H
#define NPU_COMPILER_FRONTEND_TFLITE_TFLITEFIXED_H

#include "compiler/Frontend/TFLite/TfliteNode.h"

#include <vector>

namespace npu {

/// Numbers of 32 bits.
struct Fixed {
  /// a * b / 2^31, halves upwards.
  static int32_t product(int32_t a, int32_t b);
  /// x / 2^shift, halves away from zero; the shift is from 0 to 31.
  static int32_t divided(int32_t x, int shift);
  /// x * 2^shift, at the nearest end if out of range; the shift is from 0 to
  /// 31.
  static int32_t multiplied(int32_t x, int shift);
  /// exp(x) in units of 2^-31; `x` is not above 0, in units of 2^-26.
  static int32_t exponential(int32_t x);
};

/// The differences of bytes, -255 to 0, times a real factor.
class DifferenceScale {
public:
  explicit DifferenceScale(double factor);

  /// Differences below this one are left out.
  int32_t least() const { return smallest; }
  /// d * factor in units of 2^-26, by d + 255; 0 for those that are left out.
  std::vector<int32_t> products() const;
  /// exp(d * factor) in units of 2^-31, the same way.
  std::vector<int32_t> exponentials() const;
  /// 2^-26 / factor, below 1.
  TfliteMultiplier inverse() const;

private:
  int32_t multiplier, smallest;
  int shift = 0; // factor = multiplier * 2^(shift - 57)
};

/// 2^60 / x, at most 2^30; x is i32, from 2^30 on.
Value reciprocalOf(TfliteNode &node, Value x);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_TFLITE_TFLITEFIXED_H
