// SPDX-License-Identifier: Apache-2.0
//
// What products and quotients of real numbers are of bytes: a factor is a byte
// less its zero point, or what a table has for a byte, of which a divisor is
// the reciprocal. Both multiply in i32.
#include "compiler/Fusion/IntegerTerms.h"

#include <cmath>

using namespace npu;
using namespace npu::integers;
using namespace npu::rewrites;

/// Bits of a product, of which a byte less its zero point takes eight.
static constexpr int productBits = 29, byteBits = 8;

namespace {

/// The real number is scale * integer, or beyond all numbers.
struct Factor {
  std::optional<QuantizedBytes> bytes;
  ByteTable table = {};
  std::vector<double> numbers; // of the table
  double scale = 1;
  bool hasInfinity = false;

  /// Fits the table into so many bits.
  void fit(int bits) {
    double most = 0;
    for (double number : numbers)
      if (std::isfinite(number))
        most = std::max(most, std::abs(number));
    scale = most == 0 ? 1 : std::ldexp(most, -bits);
    for (double &number : numbers)
      if (std::isfinite(number))
        number = std::nearbyint(number / scale);
  }

  /// The integers, 0 for infinities.
  Value made(Emitter &emit) const {
    if (bytes)
      return centred(emit, *bytes);
    Numbers finite = ofTable([](double x) { return std::isinf(x) ? 0 : x; });
    return emit.lookUpByte(emit.constant(finite), table.byte);
  }

  /// What is added, by the sign of the other factor: a number beyond all
  /// others where this one is infinite.
  Value madeInfinities(Emitter &emit) const {
    Numbers numbers = ofTable([](double x) {
      return std::isinf(x) ? std::copysign(std::exp2(productBits), x) : 0;
    });
    return emit.lookUpByte(emit.constant(numbers), table.byte);
  }

private:
  template <typename Function>
  Numbers ofTable(Function function) const {
    Numbers all;
    all.shape = {byteEntries};
    for (double number : numbers)
      all.values.push_back(function(number));
    return all;
  }
};

} // namespace

static std::optional<Factor> factorOf(Value value, int depth, bool isDivisor) {
  Factor factor;
  if (!isDivisor) {
    factor.bytes = quantizedBytesOf(value, depth);
    if (factor.bytes) {
      factor.scale = factor.bytes->scale;
      return factor;
    }
  }
  std::optional<ByteTable> table = tableOfByte(value);
  std::optional<std::vector<float>> floats =
      table ? floatsOf(table->numbers) : std::nullopt;
  if (!floats)
    return std::nullopt;
  factor.table = *table;
  for (float number : *floats) {
    double real = number;
    factor.numbers.push_back(isDivisor ? 1 / real : real);
    if (std::isnan(factor.numbers.back()))
      return std::nullopt;
    factor.hasInfinity |= std::isinf(factor.numbers.back());
  }
  return factor;
}

std::optional<Affine> integers::ofFactors(EltwiseOp op, int depth) {
  bool isQuotient = isKind(op, NPU_INSTR_div);
  if ((!isQuotient && !isKind(op, NPU_INSTR_mul)) ||
      isFunctionOfByte(op.getResult()))
    return std::nullopt;
  std::optional<Factor> a = factorOf(op.getInputs()[0], depth, false);
  // What is 0 times an infinity depends on the model's own arithmetic.
  if (!a || a->hasInfinity)
    return std::nullopt;
  std::optional<Factor> b = factorOf(op.getInputs()[1], depth, isQuotient);
  if (!b || (b->hasInfinity && !isQuotient))
    return std::nullopt;
  bool areTables = !a->bytes && !b->bytes;
  for (Factor *factor : {&*a, &*b})
    if (!factor->bytes)
      factor->fit(areTables ? productBits / 2 : productBits - byteBits);
  auto make = [a, b](Emitter &emit) {
    Value first = a->made(emit);
    Value product = emit.step(NPU_INSTR_mul, {first, b->made(emit)});
    if (!b->hasInfinity)
      return product;
    Value sign = emit.clip(first, -1, 1);
    return emit.step(
        NPU_INSTR_add,
        {product, emit.step(NPU_INSTR_mul, {sign, b->madeInfinities(emit)})});
  };
  return madeTerm(op.getResult(), Numbers::of(a->scale * b->scale), make);
}
