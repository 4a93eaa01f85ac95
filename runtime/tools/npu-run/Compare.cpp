// SPDX-License-Identifier: Apache-2.0

#include "runtime/tools/npu-run/Compare.h"

#include "runtime/tools/npu-run/Tensors.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace npu::tools {
namespace {

double halfToDouble(uint16_t half) {
  int exponent = (half >> 10) & 0x1f;
  int fraction = half & 0x3ff;
  double sign = (half & 0x8000) ? -1 : 1;
  if (exponent == 0x1f)
    return fraction ? NAN : sign * INFINITY;
  if (exponent == 0)
    return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(fraction + 0x400, exponent - 25);
}

double valueAt(npu_type type, const Buffer &values, size_t i) {
  switch (type) {
  case NPU_TYPE_F32:
  case NPU_TYPE_BF16:
    return values.as<float>()[i];
  case NPU_TYPE_F16:
    return halfToDouble(values.as<uint16_t>()[i]);
  case NPU_TYPE_I8:
    return values.as<int8_t>()[i];
  case NPU_TYPE_U8:
  case NPU_TYPE_BOOL:
    return values.as<uint8_t>()[i];
  case NPU_TYPE_I16:
    return values.as<int16_t>()[i];
  case NPU_TYPE_I32:
    return values.as<int32_t>()[i];
  case NPU_TYPE_I64:
    return static_cast<double>(values.as<int64_t>()[i]);
  }
  return NAN;
}

bool isClose(double got, double expected, double rtol, double atol) {
  if (std::isnan(got) || std::isnan(expected))
    return std::isnan(got) && std::isnan(expected);
  if (std::isinf(got) || std::isinf(expected))
    return got == expected;
  return std::fabs(got - expected) <= atol + rtol * std::fabs(expected);
}

} // namespace

Comparison compare(const npu_tensor_info &info, const Buffer &got,
                   const Buffer &expected, double rtol, double atol) {
  Comparison result;
  result.elements = elementsOf(info);
  for (size_t i = 0; i < result.elements; ++i) {
    double a = valueAt(info.type, got, i);
    double b = valueAt(info.type, expected, i);
    double error = std::fabs(a - b);
    if (std::isfinite(error)) {
      result.maxAbsolute = std::max(result.maxAbsolute, error);
      if (b != 0)
        result.maxRelative = std::max(result.maxRelative, error / std::fabs(b));
    }
    if (isClose(a, b, rtol, atol))
      continue;
    if (result.mismatches++ == 0) {
      result.first = i;
      result.got = a;
      result.expected = b;
    }
  }
  return result;
}

std::string describe(const npu_tensor_info &info, const Comparison &result) {
  char text[512];
  if (result.passed())
    std::snprintf(text, sizeof(text),
                  "agrees: %zu elements, largest error %.3g absolute, %.3g "
                  "relative",
                  result.elements, result.maxAbsolute, result.maxRelative);
  else
    std::snprintf(text, sizeof(text),
                  "differs in %zu of %zu elements, first in element %zu: got "
                  "%.9g, expected %.9g; largest error %.3g absolute, %.3g "
                  "relative",
                  result.mismatches, result.elements, result.first, result.got,
                  result.expected, result.maxAbsolute, result.maxRelative);
  return "output '" + std::string(info.name) + "' " + text;
}

} // namespace npu::tools
