// SPDX-License-Identifier: Apache-2.0
//
// Elements to registers and back. All arithmetic happens in two types: float
// for f32, f16 and bf16, int64_t for integers and booleans (u64 with the same
// bits). Numbers of f64 are double, which is compared and converted.
#ifndef NPU_KERNELS_SUPPORT_CONVERT_H
#define NPU_KERNELS_SUPPORT_CONVERT_H

#include "kernels/support/access.h"

#include <cstdint>

namespace npu::kernels {

/// Whether it is computed in float.
inline bool isFloat(int32_t dtype) {
  return dtype == NPU_F32 || dtype == NPU_F16 || dtype == NPU_BF16;
}

/// Whether the order of its numbers is not that of int64_t's.
inline bool isAboveInt64(int32_t dtype) { return dtype == NPU_U64; }

/// Floats of 16 bits.
inline bool isHalfWide(int32_t dtype) {
  return dtype == NPU_F16 || dtype == NPU_BF16;
}

float halfToFloat(uint16_t half);
uint16_t floatToHalf(float value);
float bfloatToFloat(uint16_t bits);
uint16_t floatToBfloat(float value);

/// `value` as an element of integer type `dtype` would keep it: wrapped to its
/// width, a boolean is 0 or 1.
int64_t wrapTo(int32_t dtype, int64_t value);

/// `value` converted to an integer type: towards zero, out of range to the
/// nearest end, NaN to 0; a boolean is value != 0.
int64_t floatToInteger(int32_t dtype, double value);

/// Elements of `data` at the offsets that Walk::offsets gave. The integer
/// forms take integer and boolean types, the float forms float types (loads of
/// floats take bytes, too), the double forms f64.
void load(int32_t dtype, const void *data, Walk::Run run,
          const int64_t *offsets, int n, float *out);
void load(int32_t dtype, const void *data, Walk::Run run,
          const int64_t *offsets, int n, int64_t *out);
void load(int32_t dtype, const void *data, Walk::Run run,
          const int64_t *offsets, int n, double *out);
void store(int32_t dtype, void *data, Walk::Run run, const int64_t *offsets,
           int n, const float *values);
void store(int32_t dtype, void *data, Walk::Run run, const int64_t *offsets,
           int n, const int64_t *values);
void store(int32_t dtype, void *data, Walk::Run run, const int64_t *offsets,
           int n, const double *values);

/// Numbers next to each other, of f16 or bf16 as `dtype` says, and back.
void widen(int32_t dtype, const uint16_t *from, float *to, int64_t count);
void narrow(int32_t dtype, const float *from, uint16_t *to, int64_t count);

/// The tensor's logical elements in row-major order.
void toDense(const npu_tensor_desc &tensor, const void *data, float *out);
void toDense(const npu_tensor_desc &tensor, const void *data, int64_t *out);
void toDense(const npu_tensor_desc &tensor, const void *data, double *out);

} // namespace npu::kernels

#endif // NPU_KERNELS_SUPPORT_CONVERT_H
