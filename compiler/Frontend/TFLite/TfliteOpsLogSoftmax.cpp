// SPDX-License-Identifier: Apache-2.0
//
// The logarithm of softmax: of bytes in gemmlowp's fixed-point numbers, as
// LiteRT has it.
#include "compiler/Frontend/TFLite/TfliteFixed.h"
#include "compiler/Frontend/TFLite/TfliteOps.h"

#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/Support/IntegerScale.h"

using namespace npu;

namespace {
/// Ops on i32, in units of which each function speaks.
class Steps {
public:
  explicit Steps(TfliteNode &node) : node(node) {}

  Value number(int64_t value) { return node.number32(value); }
  Value add(Value a, Value b) { return node.two(NPU_INSTR_add, a, b); }
  Value sub(Value a, Value b) { return node.two(NPU_INSTR_sub, a, b); }
  Value left(Value x, Value by) {
    return node.two(NPU_INSTR_shift_left, x, by);
  }
  Value right(Value x, int by) {
    return node.two(NPU_INSTR_shift_right, x, number(by));
  }
  /// a * b / 2^shift, halves upwards.
  Value product(Value a, Value b, int shift = 31) {
    return node.eltwise(NPU_INSTR_mul_shift, {a, b, number(shift)});
  }
  Value select(Value condition, Value a, Value b) {
    return node.eltwise(NPU_INSTR_select, {condition, a, b});
  }

  TfliteNode &node;
};

/// A sum as r * 2^power, where r is around the fourth root of 1/2.
struct Reduced {
  Value r;     // in units of 2^-31
  Value power; // in units of 2^-25
};
} // namespace

/// The sum is from 1 on, in units of 2^-19. Of two ways to shift it, with and
/// without a factor of sqrt(1/2), that with the smaller r is taken.
static Reduced reduced(Steps &steps, Value sum) {
  Value sqrtHalf = steps.number(1518500250);
  Value zeros = steps.node.one(NPU_INSTR_clz, sum);
  Value shifted = steps.left(sum, steps.sub(zeros, steps.number(1)));
  Value half = steps.product(shifted, sqrtHalf);
  Value isWhole =
      steps.node.two(NPU_INSTR_greater_equal, half, steps.number(1 << 30));
  Value a = steps.select(isWhole, steps.number(INT32_MAX),
                         steps.left(half, steps.number(1)));
  Value zerosOfB =
      steps.sub(steps.node.one(NPU_INSTR_clz, steps.product(sum, sqrtHalf)),
                steps.number(1));
  Value isShort = steps.node.two(NPU_INSTR_less, zerosOfB, zeros);
  Value b = steps.select(isShort, shifted, steps.number(INT32_MAX));
  auto power = [&](Value headroom, int64_t quarter) {
    Value bits = steps.sub(steps.number(12), headroom);
    return steps.add(steps.left(bits, steps.number(25)), steps.number(quarter));
  };
  return {steps.node.two(NPU_INSTR_min, a, b),
          steps.node.two(NPU_INSTR_max, power(zeros, 1 << 23),
                         power(zerosOfB, -(1 << 23)))};
}

/// log(sum) in units of 2^-26, by a quotient of polynomials.
static Value logarithm(Steps &steps, Value sum) {
  constexpr int64_t fourthRoot = 1805811301, log2 = 1488522236;
  constexpr int64_t alphaN = 117049297, alphaD = 127690142, alphaI = 1057819769,
                    alphaF = 638450708;
  auto number = [&](int64_t value) { return steps.number(value); };
  auto [r, power] = reduced(steps, sum);
  Value mean = steps.add(steps.right(r, 1), number(fourthRoot / 2 + 1));
  Value q = steps.left(steps.sub(r, number(fourthRoot)), number(1));
  Value square = steps.product(q, q);
  Value numerator =
      steps.add(steps.product(q, r),
                steps.product(steps.product(q, square), number(alphaN)));
  Value inner = steps.add(steps.add(number(alphaI), q),
                          steps.product(number(alphaD), square));
  Value denominator =
      steps.add(steps.product(mean, inner), steps.product(number(alphaF), q));
  // Half of 1 + the denominator.
  Value reciprocal = reciprocalOf(
      steps.node, steps.add(steps.right(denominator, 1), number(1 << 30)));
  Value fraction =
      steps.product(dividedByPower(steps.node, numerator, 6), reciprocal,
                    /*shift=*/30);
  Value whole = steps.product(power, number(log2));
  return steps.left(steps.add(whole, fraction), number(1));
}

/// The result's scale is fixed: one step is 2^-4, and 127 is 0.
static LogicalResult logSoftmaxOfBytes(TfliteNode &node) {
  FailureOr<TfliteScale> scale = node.inputScale(0);
  if (failed(scale) || failed(node.checkKeepsType(0)))
    return failure();
  DifferenceScale factor(scale->scale());
  Steps steps(node);
  Value x = node.cast(node.input(0), node.i32());
  int64_t last = rankOf(x) - 1;
  Value difference =
      steps.sub(x, node.reduce(x, ReduceKind::Max, {last}, true));
  Value index = steps.add(difference, steps.number(255));
  auto looked = [&](const std::vector<int32_t> &table) {
    return lookUp(node, node.vectorAlong(table, 0, 1), index);
  };
  Value sum = node.reduce(
      steps.product(looked(factor.exponentials()), steps.number(1), 12),
      ReduceKind::Sum, {last}, true);
  Value logOfSum = logarithm(steps, sum);
  // Smaller differences would leave the range of 32 bits.
  Value least = node.scaledBy(steps.add(logOfSum, steps.number(INT32_MIN)),
                              factor.inverse(), Rounding::Twice);
  least = node.two(NPU_INSTR_max, least, steps.number(factor.least() - 1));
  Value result =
      dividedByPower(node, steps.sub(looked(factor.products()), logOfSum), 22);
  result = steps.select(node.two(NPU_INSTR_greater, difference, least), result,
                        steps.number(-255));
  return node.setResult(node.saturated(result, 127, -128, 127));
}

LogicalResult npu::buildTfliteLogSoftmax(TfliteNode &node) {
  Value x = node.input(0);
  if (rankOf(x) < 1 || shapeOf(x).back() == 0)
    return node.error("has data of shape " + shapes::text(shapeOf(x)) +
                      ", expected rows");
  if (isByte(elementOf(x)))
    return logSoftmaxOfBytes(node);
  return node.setResult(node.softmax(x, rankOf(x) - 1, /*isLog=*/true));
}
