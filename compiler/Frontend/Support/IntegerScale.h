// SPDX-License-Identifier: Apache-2.0
//
// Quantized numbers: made of real ones and of integers that are scaled by a
// multiplier and a shift, as TOSA and TFLite define it to the bit.
#ifndef NPU_COMPILER_FRONTEND_SUPPORT_INTEGERSCALE_H
#define NPU_COMPILER_FRONTEND_SUPPORT_INTEGERSCALE_H

#include "compiler/Frontend/Support/Emitter.h"

namespace npu {

/// See npu.quantize; a null zero point is 0. The steps where scale or zero
/// point depends on data.
Value quantize(Emitter &emitter, Value value, Value scale, Value zeroPoint,
               Type element, Rounding rounding);

/// See npu.dequantize, the same way.
Value dequantize(Emitter &emitter, Value value, Value scale, Value zeroPoint);

/// Whether multiplier and shift are such that only the type changes.
bool scalesNothing(ArrayRef<Value> scale);

/// What npu.requantize makes of integers.
struct Requantization {
  /// Multiplier and shift, or none.
  SmallVector<Value, 2> scale;
  int64_t zeroPoint = 0, low = INT32_MIN, high = INT32_MAX;
  int64_t inputZeroPoint = 0;
  Rounding rounding = Rounding::HalfUp;
};

Value requantize(Emitter &emitter, Value value, const Requantization &how,
                 Type element);

/// The least and most of integers of so many bits.
struct IntegerRange {
  int64_t low, high;
};
IntegerRange rangeOfBits(unsigned bits, bool isUnsigned = false);

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
