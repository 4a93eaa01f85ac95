// SPDX-License-Identifier: Apache-2.0
//
// Elementwise functions of two or three operands.
#include "compiler/Frontend/TFLite/TfliteOps.h"

#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/Support/IntegerScale.h"

#include <cmath>

using namespace npu;
using tflite::Activation;
using tflite::BuiltinOperator;

static Activation activationOf(TfliteNode &node) {
  return tfliteActivation(node.op);
}

// --- Sums of two scales ------------------------------------------------------

namespace {
/// Two quantized operands in one unit: their larger scale, twice, times
/// 2^-leftShift.
struct CommonUnit {
  Value a, b;
  double twiceLargest;
};
} // namespace

/// What is half of the unit is shifted only, so that nothing is rounded.
static Value inUnit(TfliteNode &node, size_t index, const TfliteScale &scale,
                    double twiceLargest, int leftShift) {
  Value value = node.centered(node.input(index), scale.zeroPoint());
  double factor = scale.scale() / twiceLargest;
  if (factor == 0.5)
    return node.scaled(value, std::ldexp(0.5, leftShift), Rounding::Twice);
  return node.scaled(
      node.scaled(value, std::ldexp(1.0, leftShift), Rounding::Twice), factor,
      Rounding::Twice);
}

static FailureOr<CommonUnit> inOneUnit(TfliteNode &node, int leftShift) {
  FailureOr<TfliteScale> a = node.inputScale(0), b = node.inputScale(1);
  if (failed(a) || failed(b))
    return failure();
  double twiceLargest = 2 * std::max(a->scale(), b->scale());
  CommonUnit unit{inUnit(node, 0, *a, twiceLargest, leftShift),
                  inUnit(node, 1, *b, twiceLargest, leftShift), twiceLargest};
  if (!unit.a || !unit.b)
    return failure();
  return unit;
}

/// A scale of exactly 2^n; none if it is no such one.
static std::optional<int> powerOfTwo(const TfliteScale &scale) {
  int exponent = 0;
  if (std::frexp(scale.scale(), &exponent) != 0.5)
    return std::nullopt;
  return exponent - 1;
}

/// LiteRT adds numbers of 16 bits whose scales are all powers of two in the
/// result's scale.
static FailureOr<bool> sumByPowers(TfliteNode &node) {
  FailureOr<TfliteScale> a = node.inputScale(0), b = node.inputScale(1),
                         c = node.resultScale();
  if (failed(a) || failed(b) || failed(c))
    return failure();
  auto aPower = powerOfTwo(*a), bPower = powerOfTwo(*b),
       cPower = powerOfTwo(*c);
  if (!aPower || !bPower || !cPower)
    return false;
  int aShift = *cPower - *aPower, bShift = *cPower - *bPower;
  if (aShift < 0 || bShift < 0 || (aShift != 0 && bShift != 0) ||
      std::max(aShift, bShift) > 30)
    return node.unsupported(
        "adds i16 of scales that are powers of two, none of them above that of "
        "the result, expected one that is equal to it");
  auto operand = [&](size_t index, int shift) {
    return dividedByPower(node, node.centered(node.input(index), 0), shift);
  };
  Value sum =
      node.eltwise(node.instr(), {operand(0, aShift), operand(1, bShift)});
  if (failed(node.setQuantized(sum, activationOf(node))))
    return failure();
  return true;
}

/// ADD and SUB.
LogicalResult npu::buildTfliteArithmetic(TfliteNode &node) {
  if (!node.isQuantized(0))
    return buildTfliteBinary(node);
  bool isShort = node.op.inputType(0) == tflite::TensorType::INT16;
  if (isShort) {
    FailureOr<bool> done = sumByPowers(node);
    if (failed(done) || *done)
      return success(succeeded(done));
  }
  int leftShift = isShort ? 15 : 20;
  FailureOr<CommonUnit> unit = inOneUnit(node, leftShift);
  FailureOr<TfliteScale> result = node.resultScale();
  if (failed(unit) || failed(result))
    return failure();
  double factor =
      unit->twiceLargest / (std::ldexp(1.0, leftShift) * result->scale());
  Value sum = node.eltwise(node.instr(), {unit->a, unit->b});
  return node.setRequantized(sum, factor, activationOf(node));
}

LogicalResult npu::buildTfliteSquaredDifference(TfliteNode &node) {
  if (!node.isQuantized(0)) {
    Value difference = node.two(NPU_INSTR_sub, node.input(0), node.input(1));
    return node.setResult(node.two(NPU_INSTR_mul, difference, difference));
  }
  constexpr int leftShift = 7;
  FailureOr<CommonUnit> unit = inOneUnit(node, leftShift);
  FailureOr<TfliteScale> result = node.resultScale();
  if (failed(unit) || failed(result))
    return failure();
  double factor = unit->twiceLargest * unit->twiceLargest /
                  (std::ldexp(1.0, 2 * leftShift) * result->scale());
  Value difference = node.two(NPU_INSTR_sub, unit->a, unit->b);
  return node.setRequantized(node.two(NPU_INSTR_mul, difference, difference),
                             factor, Activation::NONE);
}

// --- Products, quotients -----------------------------------------------------

LogicalResult npu::buildTfliteMul(TfliteNode &node) {
  if (!node.isQuantized(0))
    return buildTfliteBinary(node);
  FailureOr<TfliteScale> a = node.factorScale(0), b = node.factorScale(1),
                         result = node.resultScale();
  if (failed(a) || failed(b) || failed(result))
    return failure();
  // LiteRT computes this in floats.
  float factor = float(a->scale()) * float(b->scale()) / float(result->scale());
  Value product =
      node.two(NPU_INSTR_mul, node.centered(node.input(0), a->zeroPoint()),
               node.centered(node.input(1), b->zeroPoint()));
  return node.setRequantized(product, double(factor), activationOf(node));
}

/// The whole number below the exact quotient, which a rounded quotient may
/// reach: what is left is taken off first. Numbers too large for that have no
/// fraction.
LogicalResult npu::buildTfliteFloorDiv(TfliteNode &node) {
  Value x = node.input(0), y = node.input(1);
  // The least number has no room for what is taken away.
  if (x && y && isa<mlir::IntegerType>(elementOf(x))) {
    x = node.cast(x, node.i32());
    y = node.cast(y, node.i32());
  }
  Value without = node.two(NPU_INSTR_sub, x, node.two(NPU_INSTR_mod, x, y));
  Value quotient = node.two(NPU_INSTR_div, without, y);
  if (!isa<mlir::FloatType>(elementOf(x)))
    return node.setResult(node.cast(quotient, node.resultElement()));
  Value rounded = node.two(NPU_INSTR_div, x, y);
  Value isSmall = node.two(NPU_INSTR_less, node.one(NPU_INSTR_abs, rounded),
                           node.float32(1 << 22));
  return node.setResult(node.eltwise(
      NPU_INSTR_select, {isSmall, node.one(NPU_INSTR_round, quotient),
                         node.one(NPU_INSTR_floor, rounded)}));
}

// --- On numbers as they are --------------------------------------------------

LogicalResult npu::buildTfliteBinary(TfliteNode &node) {
  Value result = node.eltwise(node.instr(), {node.input(0), node.input(1)});
  return node.setResult(result ? node.activated(result, activationOf(node))
                               : result);
}

/// The angle of (x, y): in the first quadrant, then on the side of x, then with
/// the sign of y. Signs are those of zeros, too.
LogicalResult npu::buildTfliteAtan2(TfliteNode &node) {
  Value y = node.input(0), x = node.input(1);
  if (!x)
    return failure();
  auto isNegative = [&](Value value) {
    return node.two(NPU_INSTR_less, node.bitcast(value, node.i32()),
                    node.number32(0));
  };
  Value up = node.one(NPU_INSTR_abs, y), right = node.one(NPU_INSTR_abs, x);
  // Of two that are infinite 1, of two zeros 0.
  Value ratio =
      node.eltwise(NPU_INSTR_select, {node.two(NPU_INSTR_equal, up, right),
                                      node.one(NPU_INSTR_sign, up),
                                      node.two(NPU_INSTR_div, up, right)});
  Value angle = node.one(NPU_INSTR_atan, ratio);
  angle =
      node.eltwise(NPU_INSTR_select,
                   {isNegative(x),
                    node.two(NPU_INSTR_sub, node.float32(M_PI), angle), angle});
  return node.setResult(
      node.eltwise(NPU_INSTR_select,
                   {isNegative(y), node.one(NPU_INSTR_neg, angle), angle}));
}

/// x >> y, with no fewer places than none and no more than fill it with signs.
LogicalResult npu::buildTfliteRightShift(TfliteNode &node) {
  Value x = node.input(0), places = node.input(1);
  if (!places)
    return failure();
  double most = elementOf(x).getIntOrFloatBitWidth() - 1;
  return node.setResult(
      node.two(NPU_INSTR_shift_right, x,
               node.eltwise(NPU_INSTR_clip, {places}, 0, most)));
}

/// Quantized operands have one scale.
LogicalResult npu::buildTfliteExtreme(TfliteNode &node) {
  if (node.isQuantized(0)) {
    FailureOr<TfliteScale> a = node.inputScale(0), b = node.inputScale(1),
                           result = node.resultScale();
    if (failed(a) || failed(b) || failed(result))
      return failure();
    if (!(*a == *b) || !(*a == *result))
      return node.unsupported("compares numbers of several scales, expected "
                              "one for operands and result");
  }
  return node.setResult(
      node.eltwise(node.instr(), {node.input(0), node.input(1)}));
}

LogicalResult npu::buildTfliteAddN(TfliteNode &node) {
  Value sum = node.input(0);
  for (size_t i = 1; i < node.inputCount(); ++i)
    sum = node.two(NPU_INSTR_add, sum, node.input(i));
  return node.setResult(sum);
}

/// A quantized operand in units of 2^-8, as LiteRT compares it.
static FailureOr<Value> comparable(TfliteNode &node, size_t index) {
  FailureOr<TfliteScale> scale = node.inputScale(index);
  if (failed(scale))
    return failure();
  if (scale->scale() >= 1)
    return node.unsupported("compares numbers of a scale from 1 on");
  constexpr int leftShift = 8;
  Value value = node.centered(node.input(index), scale->zeroPoint());
  value = node.two(NPU_INSTR_mul, value, node.number32(1 << leftShift));
  return node.scaled(value, scale->scale(), Rounding::Twice);
}

LogicalResult npu::buildTfliteCompare(TfliteNode &node) {
  Value a = node.input(0), b = node.input(1);
  npu_instr_kind kind = node.instr();
  // Which of two numbers of 16 bits is less LiteRT says as they are stored,
  // whether they are equal by their scales.
  bool isByScale = node.isQuantized(0) && a &&
                   (isByte(elementOf(a)) || kind == NPU_INSTR_equal);
  if (isByScale) {
    FailureOr<Value> left = comparable(node, 0), right = comparable(node, 1);
    if (failed(left) || failed(right))
      return failure();
    a = *left;
    b = *right;
  } else if (a && elementOf(a).isInteger(1)) {
    a = node.cast(a, node.i32());
    b = node.cast(b, node.i32());
  }
  bool isNegated = node.op.kind() == BuiltinOperator::NOT_EQUAL;
  Value result = node.two(kind, a, b);
  return node.setResult(isNegated ? node.one(NPU_INSTR_logical_not, result)
                                  : result);
}

/// A condition of one dimension chooses among the first dimension's parts.
LogicalResult npu::buildTfliteSelect(TfliteNode &node) {
  Value condition = node.input(0), a = node.input(1);
  if (!condition || !a)
    return failure();
  bool isByPart = node.op.kind() == BuiltinOperator::SELECT &&
                  rankOf(condition) == 1 && rankOf(a) > 1;
  if (isByPart) {
    Ints shape(rankOf(a), 1);
    shape[0] = shapeOf(condition)[0];
    condition = node.reshape(condition, shape);
  }
  return node.setResult(
      node.eltwise(NPU_INSTR_select, {condition, a, node.input(2)}));
}
