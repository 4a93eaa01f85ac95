// SPDX-License-Identifier: Apache-2.0

#include "runtime/tools/npu-run/Compare.h"

#include "files/words.h"
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

/// Holds every integer of 64 bits exactly.
long double valueAt(npu_type type, const Buffer &values, size_t i) {
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
    return static_cast<long double>(values.as<int64_t>()[i]);
  case NPU_TYPE_F64:
    return values.as<double>()[i];
  case NPU_TYPE_U16:
    return values.as<uint16_t>()[i];
  case NPU_TYPE_U32:
    return values.as<uint32_t>()[i];
  case NPU_TYPE_U64:
    return static_cast<long double>(values.as<uint64_t>()[i]);
  }
  return NAN;
}

/// |got - expected|; 0 of two equal infinities.
long double errorOf(long double got, long double expected) {
  return got == expected ? 0 : std::fabs(got - expected);
}

bool isClose(long double got, long double expected, double rtol, double atol) {
  if (std::isnan(got) || std::isnan(expected))
    return std::isnan(got) && std::isnan(expected);
  if (std::isinf(got) || std::isinf(expected))
    return got == expected;
  return errorOf(got, expected) <= atol + rtol * std::fabs(expected);
}

/// What one element adds to the largest errors and the counts of NaN.
void measure(Comparison &result, long double got, long double expected) {
  if (std::isnan(got) || std::isnan(expected)) {
    ++(!std::isnan(got)       ? result.nanMissing
       : std::isnan(expected) ? result.nanInBoth
                              : result.nanFound);
    return;
  }
  if (!std::isinf(expected))
    result.largest =
        std::max(result.largest, static_cast<double>(std::fabs(expected)));
  auto error = static_cast<double>(errorOf(got, expected));
  result.maxAbsolute = std::max(result.maxAbsolute, error);
  if (expected != 0 && error != 0)
    result.maxRelative = std::max(
        result.maxRelative,
        std::isinf(error) ? error
                          : static_cast<double>(error / std::fabs(expected)));
}

std::string errors(const Comparison &result) {
  char text[160];
  bool isOfAll = result.nanFound + result.nanMissing + result.nanInBoth == 0;
  int length = std::snprintf(
      text, sizeof(text), "largest error%s %.3g absolute, %.3g relative",
      isOfAll ? "" : " of the numbers", result.maxAbsolute, result.maxRelative);
  if (result.largest > 0)
    std::snprintf(text + length, sizeof(text) - static_cast<size_t>(length),
                  ", %.3g of the largest value",
                  result.maxAbsolute / result.largest);
  return text;
}

/// Empty without any.
std::string nans(const Comparison &result) {
  std::string text;
  auto add = [&](size_t count, const char *what) {
    if (count)
      text += std::to_string(count) + what;
  };
  add(result.nanFound, " NaN where a number is expected; ");
  add(result.nanMissing, " of a number where NaN is expected; ");
  add(result.nanInBoth, " NaN in both; ");
  return text;
}

} // namespace

Comparison compare(const npu_tensor_info &info, const Buffer &got,
                   const Buffer &expected, double rtol, double atol) {
  Comparison result;
  result.elements = elementsOf(info);
  for (size_t i = 0; i < result.elements; ++i) {
    long double a = valueAt(info.type, got, i);
    long double b = valueAt(info.type, expected, i);
    measure(result, a, b);
    if (isClose(a, b, rtol, atol))
      continue;
    if (result.mismatches++ == 0) {
      result.first = i;
      result.got = static_cast<double>(a);
      result.expected = static_cast<double>(b);
    }
  }
  return result;
}

std::string describe(const npu_tensor_info &info, const Comparison &result) {
  char first[160] = "";
  if (!result.passed())
    std::snprintf(first, sizeof(first),
                  ", first in element %zu: got %.9g, expected %.9g",
                  result.first, result.got, result.expected);
  return "output '" + std::string(info.name) + "' " +
         (result.passed()
              ? "agrees: " + files::countText(result.elements, "element") + ", "
              : "differs in " + std::to_string(result.mismatches) + " of " +
                    files::countText(result.elements, "element") + first +
                    "; ") +
         nans(result) + errors(result);
}

} // namespace npu::tools
