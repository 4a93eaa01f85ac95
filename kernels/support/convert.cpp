// SPDX-License-Identifier: Apache-2.0

#include "kernels/support/convert.h"

#include "kernels/support/vectors.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace npu::kernels {

// Inline, for loops of each generation of processors call them.

static NPU_INLINE uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

static NPU_INLINE float fromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

float halfToFloat(uint16_t half) {
  uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  uint32_t exponent = (half >> 10) & 0x1fu, fraction = half & 0x3ffu;
  if (exponent == 0x1f)
    return fromBits(sign | 0x7f800000u | (fraction << 13));
  if (exponent == 0) // zero and subnormals: fraction * 2^-24 is exact
    return fromBits(sign | bitsOf(static_cast<float>(fraction) * 0x1p-24f));
  return fromBits(sign | ((exponent + 112) << 23) | (fraction << 13));
}

uint16_t floatToHalf(float value) {
  uint32_t bits = bitsOf(value);
  uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  bits &= 0x7fffffffu;
  if (bits > 0x7f800000u) // NaN stays quiet NaN
    return static_cast<uint16_t>(sign | 0x7e00u | ((bits >> 13) & 0x3ffu));
  if (bits >= 0x477ff000u) // 65520 and above round to infinity
    return static_cast<uint16_t>(sign | 0x7c00u);
  if (bits < 0x38800000u) { // subnormal result: the adder rounds for us
    float shifted = fromBits(bits) + 0.5f;
    return static_cast<uint16_t>(sign | (bitsOf(shifted) - 0x3f000000u));
  }
  uint32_t rounded = bits + 0xfffu + ((bits >> 13) & 1u);
  return static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

static NPU_INLINE float widened(uint16_t bits) {
  return fromBits(static_cast<uint32_t>(bits) << 16);
}

static NPU_INLINE uint16_t rounded(float value) {
  const uint32_t bits = bitsOf(value);
  const bool isNan = (bits & 0x7fffffffu) > 0x7f800000u;
  const uint32_t nan = (bits >> 16) | 0x40u,
                 nearest = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  return static_cast<uint16_t>(isNan ? nan : nearest);
}

float bfloatToFloat(uint16_t bits) { return widened(bits); }

uint16_t floatToBfloat(float value) { return rounded(value); }

NPU_WIDE_CLONES(void, widen,
                (int32_t dtype, const uint16_t *from, float *to, int64_t count),
                (dtype, from, to, count)) {
  if (dtype == NPU_F16)
    for (int64_t i = 0; i < count; ++i)
      to[i] = halfToFloat(from[i]);
  else
    for (int64_t i = 0; i < count; ++i)
      to[i] = widened(from[i]);
}

NPU_WIDE_CLONES(void, narrow,
                (int32_t dtype, const float *from, uint16_t *to, int64_t count),
                (dtype, from, to, count)) {
  if (dtype == NPU_F16)
    for (int64_t i = 0; i < count; ++i)
      to[i] = floatToHalf(from[i]);
  else
    for (int64_t i = 0; i < count; ++i)
      to[i] = rounded(from[i]);
}

int64_t wrapTo(int32_t dtype, int64_t value) {
  switch (dtype) {
  case NPU_I8:
    return static_cast<int8_t>(value);
  case NPU_U8:
    return static_cast<uint8_t>(value);
  case NPU_I16:
    return static_cast<int16_t>(value);
  case NPU_U16:
    return static_cast<uint16_t>(value);
  case NPU_I32:
    return static_cast<int32_t>(value);
  case NPU_U32:
    return static_cast<uint32_t>(value);
  case NPU_BOOL:
    return value != 0;
  default:
    return value;
  }
}

template <typename T>
static int64_t saturate(double value) {
  if (std::isnan(value))
    return 0;
  // The upper end of 64 bits is no double; compare with the power of two.
  constexpr double lowest = static_cast<double>(std::numeric_limits<T>::min());
  constexpr double above =
      2.0 * static_cast<double>(std::numeric_limits<T>::max() / 2 + 1);
  T result = value <= lowest  ? std::numeric_limits<T>::min()
             : value >= above ? std::numeric_limits<T>::max()
                              : static_cast<T>(value);
  return static_cast<int64_t>(result);
}

int64_t floatToInteger(int32_t dtype, double value) {
  switch (dtype) {
  case NPU_I8:
    return saturate<int8_t>(value);
  case NPU_U8:
    return saturate<uint8_t>(value);
  case NPU_I16:
    return saturate<int16_t>(value);
  case NPU_U16:
    return saturate<uint16_t>(value);
  case NPU_I32:
    return saturate<int32_t>(value);
  case NPU_U32:
    return saturate<uint32_t>(value);
  case NPU_U64:
    return saturate<uint64_t>(value);
  case NPU_BOOL:
    return value != 0.0;
  default:
    return saturate<int64_t>(value);
  }
}

template <typename Stored, typename Register, typename Convert>
static void loadAs(const void *data, Walk::Run run, const int64_t *offsets,
                   int n, Register *out, Convert convert) {
  const Stored *from = static_cast<const Stored *>(data);
  if (run == Walk::Run::Contiguous) {
    from += offsets[0];
    for (int i = 0; i < n; ++i)
      out[i] = convert(from[i]);
  } else if (run == Walk::Run::Constant) {
    std::fill(out, out + n, convert(from[offsets[0]]));
  } else {
    for (int i = 0; i < n; ++i)
      out[i] = convert(from[offsets[i]]);
  }
}

void load(int32_t dtype, const void *data, Walk::Run run,
          const int64_t *offsets, int n, float *out) {
  if (run == Walk::Run::Contiguous && isHalfWide(dtype))
    return widen(dtype, static_cast<const uint16_t *>(data) + offsets[0], out,
                 n);
  auto exact = [](auto v) { return static_cast<float>(v); };
  switch (dtype) {
  case NPU_F32:
    return loadAs<float>(data, run, offsets, n, out, exact);
  case NPU_F16:
    return loadAs<uint16_t>(data, run, offsets, n, out, halfToFloat);
  case NPU_I8:
    return loadAs<int8_t>(data, run, offsets, n, out, exact);
  case NPU_U8:
  case NPU_BOOL: // a mask
    return loadAs<uint8_t>(data, run, offsets, n, out, exact);
  default:
    return loadAs<uint16_t>(data, run, offsets, n, out, bfloatToFloat);
  }
}

void load(int32_t dtype, const void *data, Walk::Run run,
          const int64_t *offsets, int n, int64_t *out) {
  auto widen = [](auto v) { return static_cast<int64_t>(v); };
  switch (dtype) {
  case NPU_I8:
    return loadAs<int8_t>(data, run, offsets, n, out, widen);
  case NPU_I16:
    return loadAs<int16_t>(data, run, offsets, n, out, widen);
  case NPU_U16:
    return loadAs<uint16_t>(data, run, offsets, n, out, widen);
  case NPU_I32:
    return loadAs<int32_t>(data, run, offsets, n, out, widen);
  case NPU_U32:
    return loadAs<uint32_t>(data, run, offsets, n, out, widen);
  case NPU_I64:
  case NPU_U64:
    return loadAs<int64_t>(data, run, offsets, n, out, widen);
  case NPU_BOOL:
    return loadAs<uint8_t>(data, run, offsets, n, out,
                           [](uint8_t v) { return int64_t{v != 0}; });
  default:
    return loadAs<uint8_t>(data, run, offsets, n, out, widen);
  }
}

void load(int32_t, const void *data, Walk::Run run, const int64_t *offsets,
          int n, double *out) {
  loadAs<double>(data, run, offsets, n, out, [](double v) { return v; });
}

template <typename Stored, typename Register, typename Convert>
static void storeAs(void *data, Walk::Run run, const int64_t *offsets, int n,
                    const Register *values, Convert convert) {
  Stored *to = static_cast<Stored *>(data);
  if (run == Walk::Run::Contiguous) {
    to += offsets[0];
    for (int i = 0; i < n; ++i)
      to[i] = convert(values[i]);
  } else if (run == Walk::Run::Constant) {
    to[offsets[0]] = convert(values[n - 1]);
  } else {
    for (int i = 0; i < n; ++i)
      to[offsets[i]] = convert(values[i]);
  }
}

void store(int32_t dtype, void *data, Walk::Run run, const int64_t *offsets,
           int n, const float *values) {
  if (run == Walk::Run::Contiguous && isHalfWide(dtype))
    return narrow(dtype, values, static_cast<uint16_t *>(data) + offsets[0], n);
  if (dtype == NPU_F32)
    storeAs<float>(data, run, offsets, n, values, [](float v) { return v; });
  else if (dtype == NPU_F16)
    storeAs<uint16_t>(data, run, offsets, n, values, floatToHalf);
  else
    storeAs<uint16_t>(data, run, offsets, n, values, floatToBfloat);
}

void store(int32_t dtype, void *data, Walk::Run run, const int64_t *offsets,
           int n, const int64_t *values) {
  if (dtype == NPU_BOOL)
    return storeAs<uint8_t>(data, run, offsets, n, values,
                            [](int64_t v) { return uint8_t{v != 0}; });
  switch (dtypeBytes(dtype)) { // signed or not, the low bytes are the same
  case 1:
    return storeAs<uint8_t>(data, run, offsets, n, values,
                            [](int64_t v) { return static_cast<uint8_t>(v); });
  case 2:
    return storeAs<int16_t>(data, run, offsets, n, values,
                            [](int64_t v) { return static_cast<int16_t>(v); });
  case 4:
    return storeAs<int32_t>(data, run, offsets, n, values,
                            [](int64_t v) { return static_cast<int32_t>(v); });
  default:
    return storeAs<int64_t>(data, run, offsets, n, values,
                            [](int64_t v) { return v; });
  }
}

void store(int32_t, void *data, Walk::Run run, const int64_t *offsets, int n,
           const double *values) {
  storeAs<double>(data, run, offsets, n, values, [](double v) { return v; });
}

template <typename T>
static void dense(const npu_tensor_desc &tensor, const void *data, T *out) {
  Walk walk({tensor.dims, tensor.dims + tensor.rank});
  int operand = walk.add(dimMaps(tensor));
  walk.coalesce();
  constexpr int chunk = 256;
  int64_t offsets[chunk];
  for (int64_t start = 0; start < walk.size(); start += chunk) {
    int n = static_cast<int>(std::min<int64_t>(chunk, walk.size() - start));
    Walk::Run run = walk.offsets(operand, start, n, offsets);
    load(tensor.dtype, data, run, offsets, n, out + start);
  }
}

void toDense(const npu_tensor_desc &tensor, const void *data, float *out) {
  dense(tensor, data, out);
}

void toDense(const npu_tensor_desc &tensor, const void *data, int64_t *out) {
  dense(tensor, data, out);
}

void toDense(const npu_tensor_desc &tensor, const void *data, double *out) {
  dense(tensor, data, out);
}

} // namespace npu::kernels
