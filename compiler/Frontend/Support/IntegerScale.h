// SPDX-License-Identifier: Apache-2.0
//
// Integers scaled by a multiplier and a shift, as TOSA and TFLite define it to
// the bit.
#ifndef NPU_COMPILER_FRONTEND_SUPPORT_INTEGERSCALE_H
#define NPU_COMPILER_FRONTEND_SUPPORT_INTEGERSCALE_H

#include "compiler/Frontend/Support/Emitter.h"

namespace npu {

/// value * multiplier / 2^shift, rounded; all three of one type, i32 as a rule.
Value applyScale(Emitter &emitter, Value value, Value multiplier, Value shift,
                 bool roundsTwice);

/// value + zero point, at the nearest end of a number of `bits` bits where that
/// is out of range.
Value addAndSaturate(Emitter &emitter, Value value, Value zeroPoint,
                     unsigned bits, bool isUnsigned);

/// The multiplier and shift that divide by `count`.
struct Reciprocal {
  int32_t multiplier;
  int32_t shift;
};
Reciprocal reciprocalOf(uint32_t count);

/// table[index] for each element.
Value lookUp(Emitter &emitter, Value table, Value index);

/// table[byte + 128] for each byte.
Value lookUpBytes(Emitter &emitter, Value table, Value bytes);

/// value / 2^shift of i32, halves away from zero; shifts from 0 to 31.
Value dividedByPower(Emitter &emitter, Value value, int shift);

/// (a - aZero) times (b - bZero) from the product of the bytes, as i32; both of
/// three dimensions.
Value integerProduct(Emitter &emitter, Value a, int64_t aZero, Value b,
                     int64_t bZero);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_SUPPORT_INTEGERSCALE_H
