// SPDX-License-Identifier: Apache-2.0
//
// A row of exponentials and their sum: what softmax is made of.
#ifndef NPU_KERNELS_SUPPORT_EXPONENTIALS_H
#define NPU_KERNELS_SUPPORT_EXPONENTIALS_H

#include <cstdint>

namespace npu::kernels {

/// Writes exp(x - largest) of `count` neighbours to `y`, which is `x` or lies
/// elsewhere, and returns their sum. None is larger than `largest`.
double exponentials(const float *x, float largest, float *y, int64_t count);

} // namespace npu::kernels

#endif // NPU_KERNELS_SUPPORT_EXPONENTIALS_H
