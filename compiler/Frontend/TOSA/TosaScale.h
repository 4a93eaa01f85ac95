// SPDX-License-Identifier: Apache-2.0
//
// Integers scaled by a multiplier and a shift, as TOSA defines it to the bit.
#ifndef NPU_COMPILER_FRONTEND_TOSA_TOSASCALE_H
#define NPU_COMPILER_FRONTEND_TOSA_TOSASCALE_H

#include "compiler/Frontend/TOSA/TosaNode.h"

namespace npu {

/// value * multiplier / 2^shift in i32, rounded; all three i32.
Value applyScale(TosaNode &node, Value value, Value multiplier, Value shift,
                 bool roundsTwice);

/// value + zero point, at the nearest end of a number of `bits` bits where that
/// is out of range.
Value addAndSaturate(TosaNode &node, Value value, Value zeroPoint,
                     unsigned bits, bool isUnsigned);

/// The multiplier and shift that divide by `count`.
struct Reciprocal {
  int32_t multiplier;
  int32_t shift;
};
Reciprocal reciprocalOf(uint32_t count);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_TOSA_TOSASCALE_H
