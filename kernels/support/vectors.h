// SPDX-License-Identifier: Apache-2.0
//
// Loops that are made once for each generation of processors, and vectors that
// the compiler takes in as many registers as a generation needs.
#ifndef NPU_KERNELS_SUPPORT_VECTORS_H
#define NPU_KERNELS_SUPPORT_VECTORS_H

#include "kernels/support/processor.h"

#include <cstdint>
#include <cstring>

#define NPU_INLINE inline __attribute__((always_inline))
/// For the newest only, where others have another kernel.
#define NPU_WIDE_ONLY __attribute__((target("arch=x86-64-v4")))

/// Begins a function that is made once for each generation and taken by what
/// processor() says: its result, name, parameters and their names, the latter
/// two in parentheses. What it calls must be inline. The compiler's
/// `target_clones` would ask the processor itself.
#define NPU_MADE_FOR(WIDEST, WIDE, RESULT, NAME, PARAMETERS, NAMES)            \
  RESULT NAME PARAMETERS;                                                      \
  static NPU_INLINE RESULT NAME##Body PARAMETERS;                              \
  static __attribute__((target(WIDEST))) RESULT NAME##Widest PARAMETERS {      \
    return NAME##Body NAMES;                                                   \
  }                                                                            \
  static __attribute__((target(WIDE))) RESULT NAME##Wide PARAMETERS {          \
    return NAME##Body NAMES;                                                   \
  }                                                                            \
  static RESULT NAME##Plain PARAMETERS { return NAME##Body NAMES; }            \
  RESULT NAME PARAMETERS {                                                     \
    switch (processor().generation) {                                          \
    case Generation::Avx512:                                                   \
      return NAME##Widest NAMES;                                               \
    case Generation::Avx2:                                                     \
      return NAME##Wide NAMES;                                                 \
    case Generation::Any:                                                      \
      return NAME##Plain NAMES;                                                \
    }                                                                          \
    __builtin_unreachable();                                                   \
  }                                                                            \
  static NPU_INLINE RESULT NAME##Body PARAMETERS

#define NPU_CLONES(RESULT, NAME, PARAMETERS, NAMES)                            \
  NPU_MADE_FOR("avx512f", "avx2", RESULT, NAME, PARAMETERS, NAMES)
/// With fused multiply-add and conversions of 64-bit numbers.
#define NPU_WIDE_CLONES(RESULT, NAME, PARAMETERS, NAMES)                       \
  NPU_MADE_FOR("arch=x86-64-v4", "arch=x86-64-v3", RESULT, NAME, PARAMETERS,   \
               NAMES)

namespace npu::kernels {

/// Whether what is NPU_WIDE_ONLY runs here: registers of 512 bits.
inline bool hasWideRegisters() {
  return processor().generation == Generation::Avx512;
}

/// Floats of a vector: one register of the widest, more of narrower ones.
constexpr int64_t lanes = 16;
using Vector = float __attribute__((vector_size(lanes * sizeof(float))));

/// From any address.
NPU_INLINE Vector loadVector(const float *from) {
  Vector value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

NPU_INLINE void storeVector(float *to, Vector value) {
  std::memcpy(to, &value, sizeof(value));
}

// Neighbours are joined, then pairs, and so on: lane after lane would take
// longer than the exponentials of a short row.

/// Lanes 8, then 4, 2 and 1 away.
NPU_INLINE Vector turned(Vector a, int64_t by) {
  switch (by) {
  case 8:
    return __builtin_shufflevector(a, a, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2,
                                   3, 4, 5, 6, 7);
  case 4:
    return __builtin_shufflevector(a, a, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15,
                                   8, 9, 10, 11);
  case 2:
    return __builtin_shufflevector(a, a, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9,
                                   14, 15, 12, 13);
  default:
    return __builtin_shufflevector(a, a, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10,
                                   13, 12, 15, 14);
  }
}

NPU_INLINE Vector larger(Vector a, Vector b) { return b > a ? b : a; }

NPU_INLINE float largestLane(Vector a) {
  a = larger(a, turned(a, 8));
  a = larger(a, turned(a, 4));
  a = larger(a, turned(a, 2));
  return larger(a, turned(a, 1))[0];
}

NPU_INLINE float sumOfLanes(Vector a) {
  a += turned(a, 8);
  a += turned(a, 4);
  a += turned(a, 2);
  return (a + turned(a, 1))[0];
}

/// One of the four rounds of a perfect shuffle, after which rows are columns.
NPU_INLINE void shuffle(const Vector *from, Vector *to) {
  for (int64_t i = 0; i < lanes / 2; ++i) {
    const Vector a = from[i], b = from[i + lanes / 2];
    to[2 * i] = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20,
                                        5, 21, 6, 22, 7, 23);
    to[2 * i + 1] = __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27,
                                            12, 28, 13, 29, 14, 30, 15, 31);
  }
}

/// Makes columns of `lanes` rows.
NPU_INLINE void transpose(Vector *rows) {
  Vector others[lanes];
  shuffle(rows, others);
  shuffle(others, rows);
  shuffle(rows, others);
  shuffle(others, rows);
}

} // namespace npu::kernels

#endif // NPU_KERNELS_SUPPORT_VECTORS_H
