// SPDX-License-Identifier: Apache-2.0
//
// Functions of one byte, as tables of 256 bytes.
#include "compiler/Frontend/TFLite/TfliteFixed.h"
#include "compiler/Frontend/TFLite/TfliteOps.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Frontend/Support/IntegerScale.h"

#include <cmath>

using namespace npu;
using tflite::BuiltinOperator;

/// The function in real numbers; null where another formula makes the table.
static double (*functionOf(const TfliteOperator &op))(double) {
  switch (op.kind()) {
  case BuiltinOperator::EXP:
    return [](double x) { return std::exp(x); };
  case BuiltinOperator::LOG:
    return [](double x) { return std::log(x); };
  case BuiltinOperator::LOGISTIC:
    return [](double x) { return 1 / (1 + std::exp(-x)); };
  case BuiltinOperator::TANH:
    return [](double x) { return std::tanh(x); };
  case BuiltinOperator::ELU:
    return [](double x) { return x < 0 ? std::expm1(x) : x; };
  case BuiltinOperator::RSQRT:
    return [](double x) { return 1 / std::sqrt(x); };
  case BuiltinOperator::GELU: {
    const auto *options = op.options<tflite::GeluOptions>();
    if (options && options->approximate())
      return [](double x) {
        return 0.5 * x *
               (1 +
                std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
      };
    return [](double x) { return 0.5 * x * std::erfc(x * -M_SQRT1_2); };
  }
  default:
    return nullptr;
  }
}

static int32_t saturated16(int64_t value) {
  return int32_t(std::clamp<int64_t>(value, -32768, 32767));
}

/// x * 2^power, saturated; no power is too large.
static int32_t raised16(int32_t x, int32_t power) {
  return saturated16(Fixed::multiplied(x, std::min(power, 31)));
}

/// a * b * 2^-15 of numbers of 16 bits, halves upwards, saturated.
static int32_t doublingHigh(int32_t a, int32_t b) {
  return saturated16((int64_t(a) * b + (1 << 14)) >> 15);
}

namespace {
/// A factor as LiteRT's hard swish has it: 15 bits and a power of two.
struct ShortFactor {
  explicit ShortFactor(double factor) {
    TfliteMultiplier found = multiplierOf(factor);
    exponent = 31 - found.shift;
    number = found.multiplier >= 0x7fff8000 ? 0x7fff
                                            : (found.multiplier + 0x8000) >> 16;
  }
  int32_t number, exponent;
};
} // namespace

/// LiteRT's hard swish in 16 bits; `x` is a stored number.
static int32_t hardSwish(int32_t x, const TfliteScale &from,
                         const TfliteScale &to) {
  // In floats, as LiteRT has them: what x is in units of the result, and in
  // units of 3 / 32768.
  float unit = 1.0F / 128 * float(from.scale());
  ShortFactor toResult(double(unit / float(to.scale())));
  ShortFactor toRelu(double(unit / (3.0F / 32768)));
  int32_t high = (x - int32_t(from.zeroPoint())) * 128;
  int32_t inResult = doublingHigh(saturated16(high), toResult.number);
  int32_t relu = high;
  if (toRelu.exponent > 0)
    relu = raised16(relu, toRelu.exponent - 1);
  relu = doublingHigh(relu, toRelu.number);
  if (toRelu.exponent > 0)
    relu = raised16(relu, 1);
  if (toRelu.exponent < 0)
    relu = Fixed::divided(relu, -toRelu.exponent);
  relu = (relu + (1 << 15)) >> 1; // from [-1, 1] to [0, 1]
  int32_t product = relu * inResult / (1 << 15);
  int32_t shift = -toResult.exponent;
  int32_t result =
      shift >= 0 ? Fixed::divided(product, shift) : raised16(product, -shift);
  return result + int32_t(to.zeroPoint());
}

/// round(f(x)) in the result's scale.
static double entry(double (*function)(double), int32_t x,
                    const TfliteScale &from, const TfliteScale &to) {
  double real = function(from.scale() * double(x - from.zeroPoint()));
  return std::round(real / to.scale()) + double(to.zeroPoint());
}

Value npu::tfliteByteFunction(TfliteNode &node, Value bytes,
                              function_ref<double(int32_t)> function) {
  std::vector<char> table(256);
  for (int32_t byte = -128; byte < 128; ++byte) {
    double value = function(byte);
    value = std::isnan(value) ? -128 : std::clamp(value, -128.0, 127.0);
    table[byte + 128] = static_cast<char>(value);
  }
  Type i8 = node.getBuilder().getIntegerType(8);
  Value numbers = node.constant(
      makeElements(RankedTensorType::get({256}, i8), std::move(table)));
  return lookUpBytes(node, numbers, bytes);
}

LogicalResult npu::buildTfliteTable(TfliteNode &node) {
  Value x = node.input(0);
  FailureOr<TfliteScale> from = node.inputScale(0), to = node.resultScale();
  if (!x || failed(from) || failed(to))
    return failure();
  auto *function = functionOf(node.op);
  return node.setResult(tfliteByteFunction(node, x, [&](int32_t byte) {
    return function ? entry(function, byte, *from, *to)
                    : double(hardSwish(byte, *from, *to));
  }));
}
