// SPDX-License-Identifier: Apache-2.0
//
// Loops that are made once for each generation of processors, and vectors that
// the compiler takes in as many registers as a generation needs.
#ifndef NPU_KERNELS_SUPPORT_VECTORS_H
#define NPU_KERNELS_SUPPORT_VECTORS_H

#include <cstdint>
#include <cstring>

/// Of a function without templates; what it calls must be inline.
#define NPU_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
/// With fused multiply-add and conversions of 64-bit numbers.
#define NPU_WIDE_CLONES                                                        \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
/// For the newest only, where others have another kernel.
#define NPU_WIDE_ONLY __attribute__((target("arch=x86-64-v4")))
#define NPU_INLINE inline __attribute__((always_inline))

namespace npu::kernels {

/// Floats of a vector: one register of the widest, more of narrower ones.
constexpr int64_t lanes = 16;
using Vector = float __attribute__((vector_size(lanes * sizeof(float))));

/// From any address.
NPU_INLINE Vector loadVector(const float *from) {
  Vector value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

} // namespace npu::kernels

#endif // NPU_KERNELS_SUPPORT_VECTORS_H
