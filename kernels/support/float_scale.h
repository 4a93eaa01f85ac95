// SPDX-License-Identifier: Apache-2.0
//
// mul_shift by constants into a byte, in floats that give the same byte.
//
// For every sum, if such floats are found: both rise with the sum, so they are
// equal everywhere if they are at the sums where the byte changes, 255 at most,
// which are tried. Else for the sums whose scaled number is not next to the
// middle between two bytes, which shows.
#ifndef NPU_KERNELS_SUPPORT_FLOAT_SCALE_H
#define NPU_KERNELS_SUPPORT_FLOAT_SCALE_H

#include "kernels/support/scale_step.h"

#include <optional>

namespace npu::kernels {

/// mul_shift by one pair of constants.
struct MulShift {
  int32_t factor, shift;
  bool twice; // as if it had been rounded at bit 30 before
};

/// clip(round(sum * scale + offset), low, high) + behind; the product is
/// rounded to a float. The addition comes last: it is nearly always exact.
struct FloatScale {
  float scale, offset;
  /// What some sums next to a change become instead of the number beside it: a
  /// result of one of these may be wrong. All others are proved to be right.
  std::vector<int32_t> wrong;
};

/// The same result by numbers of -128 to 127, where floats are most exact;
/// nothing where it is no byte.
std::optional<ScaleEnd> centred(const ScaleEnd &end);

/// Whether the number rises with the sum and wraps nowhere.
bool isRising(const MulShift &step, const ScaleEnd &end);

/// The best floats that were found; nothing where the number does not rise with
/// the sum, or numbers of both signs have offsets of their own. `end` has
/// bounds of bytes. Where sums lack a `bias`, the offset has it.
std::optional<FloatScale> floatScaleOf(const MulShift &step,
                                       const ScaleEnd &end, int32_t bias = 0);

/// The exact number of one sum.
int32_t exactScale(const MulShift &step, const ScaleEnd &end, int32_t sum);

/// The scales of 16 numbers, and their offsets by the sum's sign: near enough
/// for all numbers but those next to the middle between two bytes.
struct alignas(64) FloatGroup {
  float scale[ScaleGroup::numbers] = {}, above[ScaleGroup::numbers] = {},
        below[ScaleGroup::numbers] = {};

  /// Whether both signs have offsets of their own. `step` is rising with `end`,
  /// which is centred.
  bool set(int place, const MulShift &step, const ScaleEnd &end);
};

/// Stores a row of `n` sums as bytes: by floats, or exactly where they are not
/// sure. There is a group for each 16 of them.
void storeScaled(const ScaleGroup *exact, const FloatGroup *groups,
                 bool isSplit, const ScaleEnd &end, const int32_t *a,
                 int8_t *out, int n);
/// The same numbers in 32 bits.
void scaleRow(const ScaleGroup *exact, const FloatGroup *groups, bool isSplit,
              const ScaleEnd &end, const int32_t *a, int32_t *out, int n);

} // namespace npu::kernels

#endif // NPU_KERNELS_SUPPORT_FLOAT_SCALE_H
