// SPDX-License-Identifier: Apache-2.0
//
// Functions of one byte, as tables of 256 bytes.
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

/// a * b * 2^-15 of numbers of 16 bits, halves upwards, saturated.
static int32_t doublingHigh(int32_t a, int32_t b) {
  if (a == -32768 && b == -32768)
    return 32767;
  int32_t product = a * b;
  int32_t nudge = product >= 0 ? 1 << 14 : 1 - (1 << 14);
  return (product + nudge) / (1 << 15);
}

static int32_t saturated16(int64_t value) {
  return int32_t(std::clamp<int64_t>(value, -32768, 32767));
}

/// value / 2^shift, halves away from zero.
static int32_t roundedShift(int32_t value, int32_t shift) {
  int32_t mask = (1 << shift) - 1, rest = value & mask;
  int32_t threshold = (mask >> 1) + (value < 0 ? 1 : 0);
  return (value >> shift) + (rest > threshold ? 1 : 0);
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
    relu = saturated16(int64_t(relu) << (toRelu.exponent - 1));
  relu = doublingHigh(relu, toRelu.number);
  if (toRelu.exponent > 0)
    relu = saturated16(int64_t(relu) * 2);
  if (toRelu.exponent < 0)
    relu = roundedShift(relu, -toRelu.exponent);
  relu = (relu + (1 << 15)) >> 1;    // from [-1, 1] to [0, 1]
  int32_t product = relu * inResult; // of 30 bits
  product = (relu * inResult) / (1 << 15);
  int32_t shift = -toResult.exponent;
  int32_t result =
      shift >= 0 ? roundedShift(product, shift) : product << -shift;
  return result + int32_t(to.zeroPoint());
}

/// round(f(x)) in the result's scale, at the nearest end if out of range.
static int8_t entry(double (*function)(double), int32_t x,
                    const TfliteScale &from, const TfliteScale &to) {
  double real = function(from.scale() * double(x - from.zeroPoint()));
  double steps = std::round(real / to.scale()) + double(to.zeroPoint());
  if (std::isnan(steps))
    return -128;
  return static_cast<int8_t>(std::clamp(steps, -128.0, 127.0));
}

LogicalResult npu::buildTfliteTable(TfliteNode &node) {
  Value x = node.input(0);
  FailureOr<TfliteScale> from = node.inputScale(0), to = node.resultScale();
  if (!x || failed(from) || failed(to))
    return failure();
  auto *function = functionOf(node.op);
  std::vector<char> table(256);
  for (int32_t i = -128; i < 128; ++i)
    table[i + 128] = static_cast<char>(
        function ? entry(function, i, *from, *to)
                 : int8_t(std::clamp(hardSwish(i, *from, *to), -128, 127)));
  Value numbers = node.constant(makeElements(
      RankedTensorType::get({256}, node.resultElement()), std::move(table)));
  Value index =
      node.two(NPU_INSTR_add, node.cast(x, node.i32()), node.number32(128));
  return node.setResult(lookUp(node, numbers, index));
}
