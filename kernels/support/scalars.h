// SPDX-License-Identifier: Apache-2.0
//
// What functions.h and angles.h are written in, for numbers of C++. The
// compiler has the same for values of generated code (ValueMath.h). Whole
// numbers are unsigned; where they stand for signed ones, the name says so.
#ifndef NPU_KERNELS_SUPPORT_SCALARS_H
#define NPU_KERNELS_SUPPORT_SCALARS_H

#include "kernels/support/vectors.h"

#include <cmath>
#include <cstdint>
#include <cstring>

namespace npu::functions {

/// A constant of the first argument's type.
template <typename T>
NPU_INLINE T like(T, double number) {
  return static_cast<T>(number);
}

template <typename T>
NPU_INLINE T select(bool condition, T a, T b) {
  return condition ? a : b;
}

NPU_INLINE float fma(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
NPU_INLINE double fma(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
NPU_INLINE double squareRoot(double x) { return __builtin_sqrt(x); }

NPU_INLINE uint32_t bitsOf(float x) { return __builtin_bit_cast(uint32_t, x); }
NPU_INLINE float numberOf(uint32_t x) { return __builtin_bit_cast(float, x); }

NPU_INLINE double widen(float x) { return x; }
NPU_INLINE uint64_t widen(uint32_t x) { return x; }
NPU_INLINE bool widen(bool x) { return x; } // beside wide numbers
NPU_INLINE float narrow(double x) { return static_cast<float>(x); }
NPU_INLINE uint32_t low(uint64_t x) { return static_cast<uint32_t>(x); }
NPU_INLINE float fromSigned(uint32_t x) {
  return static_cast<float>(static_cast<int32_t>(x));
}
NPU_INLINE double fromSigned(uint64_t x) {
  return static_cast<double>(static_cast<int64_t>(x));
}

template <typename T>
NPU_INLINE T shiftLeft(T x, int bits) {
  return x << bits;
}
template <typename T>
NPU_INLINE T shiftLeftBy(T x, T bits) {
  return x << bits;
}
template <typename T>
NPU_INLINE T shiftRight(T x, int bits) {
  return x >> bits;
}
NPU_INLINE uint32_t shiftSigned(uint32_t x, int bits) {
  return static_cast<uint32_t>(static_cast<int32_t>(x) >> bits);
}

} // namespace npu::functions

#endif // NPU_KERNELS_SUPPORT_SCALARS_H
