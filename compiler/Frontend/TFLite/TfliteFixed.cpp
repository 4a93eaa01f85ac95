// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/TFLite/TfliteFixed.h"

#include <algorithm>
#include <cmath>

using namespace npu;

int32_t Fixed::product(int32_t a, int32_t b) {
  if (a == INT32_MIN && b == INT32_MIN)
    return INT32_MAX;
  int64_t nudged = int64_t(a) * b + (int64_t(1) << 30);
  return static_cast<int32_t>(nudged >> 31);
}

int32_t Fixed::divided(int32_t x, int shift) {
  int64_t mask = (int64_t(1) << shift) - 1;
  bool isUp = (x & mask) > (mask >> 1) + (x < 0 ? 1 : 0);
  return (x >> shift) + (isUp ? 1 : 0);
}

int32_t Fixed::multiplied(int32_t x, int shift) {
  int64_t wide = int64_t(x) * (int64_t(1) << shift);
  return static_cast<int32_t>(std::clamp<int64_t>(wide, INT32_MIN, INT32_MAX));
}

/// exp(x) of -1/4 <= x < 0: the series around -1/8. `x` is in units of 2^-31.
static int32_t expOfQuarter(int32_t x) {
  constexpr int32_t expOfEighth = 1895147668, third = 715827883;
  x += 1 << 28;
  int32_t x2 = Fixed::product(x, x), x3 = Fixed::product(x2, x),
          x4 = Fixed::product(x2, x2);
  int32_t rest = Fixed::divided(x4, 2) + x3;
  rest = Fixed::divided(Fixed::product(rest, third) + x2, 1);
  return expOfEighth + Fixed::product(expOfEighth, x + rest);
}

int32_t Fixed::exponential(int32_t x) {
  if (x == 0)
    return INT32_MAX;
  constexpr int32_t quarter = 1 << 24;
  // exp(-1/4), exp(-1/2), exp(-1), ... exp(-16).
  constexpr int32_t factors[] = {1672461947, 1302514674, 790015084, 290630308,
                                 39332535,   720401,     242};
  int32_t last = (x & (quarter - 1)) - quarter;
  int32_t result = expOfQuarter(Fixed::multiplied(last, 5));
  for (auto [i, factor] : llvm::enumerate(factors))
    if (((last - x) & (quarter << i)) != 0)
      result = Fixed::product(result, factor);
  return result;
}

DifferenceScale::DifferenceScale(double factor) {
  double bounded =
      std::min(factor * double(1 << 26), double((int64_t(1) << 31) - 1));
  double fraction = std::frexp(bounded, &shift);
  auto wide = std::llround(fraction * double(int64_t(1) << 31));
  if (wide == int64_t(1) << 31) {
    wide /= 2;
    ++shift;
  }
  multiplier = static_cast<int32_t>(wide);
  double reach = std::floor(31.0 * double(1 << 26) / std::ldexp(1.0, shift));
  smallest = -static_cast<int32_t>(std::min(reach, 256.0));
}

std::vector<int32_t> DifferenceScale::products() const {
  std::vector<int32_t> numbers;
  for (int32_t d = -255; d <= 0; ++d) {
    auto raised =
        static_cast<int32_t>(d < smallest ? 0 : std::ldexp(double(d), shift));
    numbers.push_back(Fixed::product(raised, multiplier));
  }
  return numbers;
}

std::vector<int32_t> DifferenceScale::exponentials() const {
  std::vector<int32_t> numbers = products();
  for (auto [i, number] : llvm::enumerate(numbers))
    number = int32_t(i) - 255 < smallest ? 0 : Fixed::exponential(number);
  return numbers;
}

TfliteMultiplier DifferenceScale::inverse() const {
  return multiplierOf(std::ldexp(1.0, 31 - shift) / double(multiplier));
}

/// By three of Newton's steps.
Value npu::reciprocalOf(TfliteNode &node, Value x) {
  Value bits = node.number32(31);
  auto product = [&](Value a, Value b) {
    return node.eltwise(NPU_INSTR_mul_shift, {a, b, bits});
  };
  // 48/17 - 32/17 * x is near the reciprocal already; in units of 2^-29.
  Value result = node.two(NPU_INSTR_add, product(x, node.number32(-1010580540)),
                          node.number32(1515870810));
  for (int i = 0; i < 3; ++i) {
    Value rest =
        node.two(NPU_INSTR_sub, node.number32(1 << 29), product(x, result));
    Value step =
        node.two(NPU_INSTR_mul, product(result, rest), node.number32(4));
    result = node.two(NPU_INSTR_add, result, step);
  }
  return node.two(NPU_INSTR_min, result, node.number32(1 << 30));
}
