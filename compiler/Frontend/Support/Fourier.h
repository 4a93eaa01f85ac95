// SPDX-License-Identifier: Apache-2.0
//
// Fourier transforms as products with constant matrices. A complex number is
// two components, along the last dimension.
#ifndef NPU_COMPILER_FRONTEND_SUPPORT_FOURIER_H
#define NPU_COMPILER_FRONTEND_SUPPORT_FOURIER_H

#include "compiler/Frontend/Support/Emitter.h"

namespace npu {

struct Fourier {
  int64_t length;
  bool isInverse, isOneSided;
};

/// Transforms dimension `axis` of (..., 1 or 2 components); gives pairs, or
/// single numbers where an inverse transform is one-sided. Numbers behind the
/// length are left out, missing ones are zeros.
Value fourierTransform(Emitter &node, Value x, int64_t axis,
                       const Fourier &transform);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_SUPPORT_FOURIER_H
