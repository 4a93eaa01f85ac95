// SPDX-License-Identifier: Apache-2.0
//
// npu-requantize-integers: for chips without floats, what lies between integers
// and the quantized number that they become is computed in integers.
//
// It ends: each rewrite replaces one conversion of floats to bytes, and makes
// none.
#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Fusion/Integers.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Fusion/TargetOption.h"

#include <cmath>
#include <limits>

using namespace npu;
using namespace npu::rewrites;
using namespace npu::integers;
using mlir::OpRewritePattern;
using mlir::PatternRewriter;

namespace npu {
#define GEN_PASS_DEF_REQUANTIZEINTEGERS
#include "compiler/Fusion/Passes.h.inc"
} // namespace npu

/// Bits that several scaled numbers take with those behind the point.
static constexpr int sumBits = 28;
/// A sum beyond so many steps is beyond all bytes, whatever is added to it.
static constexpr double mostSteps = 1024;
/// Steps of the result by which an offset in whole units of a sum may be off.
static constexpr double offsetTolerance = 0x1p-8;
/// Of sums that an offset is added to: those beyond `largestSum` are beyond all
/// bytes.
static constexpr double leastScale = 0x1p-20, largestSum = 0x1p30;
static constexpr size_t mostTerms = 3;
static constexpr int leastFractionBits = 8;

/// The place among numbers of this shape that the result's place `i` reads.
static size_t placeIn(ArrayRef<int64_t> shape, ArrayRef<int64_t> result,
                      size_t i) {
  size_t place = 0, stride = 1;
  for (size_t back = 1; back <= shape.size(); ++back) {
    auto extent = static_cast<size_t>(result[result.size() - back]);
    if (shape[shape.size() - back] != 1) {
      place += i % extent * stride;
      stride *= extent;
    }
    i /= extent;
  }
  return place;
}

/// Each of two, which broadcast; nothing where they do not.
template <typename Function>
static std::optional<Numbers> combine(const Numbers &a, const Numbers &b,
                                      Function function) {
  std::string error;
  FailureOr<shapes::Shape> shape = shapes::broadcast({a.shape, b.shape}, error);
  if (failed(shape))
    return std::nullopt;
  Numbers result;
  result.shape = *shape;
  int64_t count = 1;
  for (int64_t extent : *shape)
    count *= extent;
  result.values.resize(static_cast<size_t>(count));
  for (size_t i = 0; i < result.values.size(); ++i)
    result.values[i] = function(a.values[placeIn(a.shape, *shape, i)],
                                b.values[placeIn(b.shape, *shape, i)]);
  return result;
}

std::optional<Numbers> integers::numbersOf(Value value) {
  std::optional<std::vector<float>> floats = floatsOf(value);
  if (!floats || floats->empty())
    return std::nullopt;
  Numbers numbers;
  if (std::optional<float> one = scalarOf(value))
    return Numbers::of(*one);
  llvm::append_range(numbers.shape, shapeOf(value));
  numbers.values.assign(floats->begin(), floats->end());
  return numbers;
}

static std::optional<Affine> scaled(std::optional<Affine> value,
                                    const Numbers &by) {
  if (!value || (value->isBounded() && (!by.isOne() || by.one() <= 0)))
    return std::nullopt;
  auto times = [](double a, double b) { return a * b; };
  for (Affine::Term &term : value->terms) {
    std::optional<Numbers> scale = combine(term.scale, by, times);
    if (!scale)
      return std::nullopt;
    term.scale = *scale;
  }
  std::optional<Numbers> offset = combine(value->offset, by, times);
  if (!offset)
    return std::nullopt;
  value->offset = *offset;
  if (value->isBounded()) {
    value->low *= by.one();
    value->high *= by.one();
  }
  return value;
}

static std::optional<Affine> shifted(std::optional<Affine> value,
                                     const Numbers &by) {
  if (!value || (value->isBounded() && !by.isOne()))
    return std::nullopt;
  std::optional<Numbers> offset =
      combine(value->offset, by, [](double a, double b) { return a + b; });
  if (!offset)
    return std::nullopt;
  value->offset = *offset;
  if (value->isBounded()) {
    value->low += by.one();
    value->high += by.one();
  }
  return value;
}

static std::optional<Affine> bounded(std::optional<Affine> value, double low,
                                     double high) {
  if (!value)
    return std::nullopt;
  value->low = std::min(std::max(value->low, low), high);
  value->high = std::min(std::max(value->high, low), high);
  return value;
}

static std::optional<Affine> sum(std::optional<Affine> a,
                                 std::optional<Affine> b) {
  if (!a || !b || a->isBounded() || b->isBounded() ||
      a->terms.size() + b->terms.size() > mostTerms)
    return std::nullopt;
  llvm::append_range(a->terms, b->terms);
  return shifted(a, b->offset);
}

template <typename Function>
static Numbers changed(Numbers numbers, Function function) {
  for (double &number : numbers.values)
    number = function(number);
  return numbers;
}
static double negative(double x) { return -x; }
static double reciprocal(double x) { return 1 / x; }

/// A step with a constant, or of two.
static std::optional<Affine> affineOfPair(EltwiseOp op, int depth) {
  std::optional<Numbers> first = numbersOf(op.getInputs()[0]),
                         second = numbersOf(op.getInputs()[1]);
  auto operand = [&](unsigned i) {
    return affineOf(op.getInputs()[i], depth - 1);
  };
  switch (op.getKind()) {
  case NPU_INSTR_mul:
    return second  ? scaled(operand(0), *second)
           : first ? scaled(operand(1), *first)
                   : std::nullopt;
  case NPU_INSTR_div:
    return second ? scaled(operand(0), changed(*second, reciprocal))
                  : std::nullopt;
  case NPU_INSTR_add:
    return second  ? shifted(operand(0), *second)
           : first ? shifted(operand(1), *first)
                   : sum(operand(0), operand(1));
  case NPU_INSTR_sub:
    if (second)
      return shifted(operand(0), changed(*second, negative));
    if (first)
      return shifted(scaled(operand(1), Numbers::of(-1)), *first);
    return sum(operand(0), scaled(operand(1), Numbers::of(-1)));
  default:
    return std::nullopt;
  }
}

std::optional<Affine> integers::affineOf(Value value, int depth) {
  if (depth == 0 || !elementOf(value).isF32())
    return std::nullopt;
  if (std::optional<Affine> terms = termsOf(value, depth))
    return terms;
  auto op = value.getDefiningOp<EltwiseOp>();
  if (!op)
    return std::nullopt;
  auto operand = [&] { return affineOf(op.getInputs()[0], depth - 1); };
  auto alpha = static_cast<double>(op.getAlpha().convertToFloat()),
       beta = static_cast<double>(op.getBeta().convertToFloat());
  switch (op.getKind()) {
  case NPU_INSTR_cast: {
    Value from = op.getInputs()[0];
    if (!isByte(from) && !elementOf(from).isSignlessInteger(32))
      return std::nullopt;
    Affine affine;
    affine.terms.push_back({from, Numbers::of(1)});
    return affine;
  }
  case NPU_INSTR_neg:
    return scaled(operand(), Numbers::of(-1));
  case NPU_INSTR_linear:
    return shifted(scaled(operand(), Numbers::of(alpha)), Numbers::of(beta));
  case NPU_INSTR_relu:
    return bounded(operand(), 0, INFINITY);
  case NPU_INSTR_clip:
    return bounded(operand(), alpha, beta);
  default:
    return op.getInputs().size() == 2 ? affineOfPair(op, depth) : std::nullopt;
  }
}

std::optional<Affine> integers::affineOf(const Rounded &rounded) {
  std::optional<Numbers> scale = numbersOf(rounded.scale);
  return scale ? scaled(affineOf(rounded.real), changed(*scale, reciprocal))
               : std::nullopt;
}

std::optional<Rounded> integers::roundedBefore(QuantizeOp op) {
  std::optional<int64_t> zero = zeroPointOf(op.getZeroPoint());
  if (!isByte(op.getResult()) || op.getRounding() != Rounding::HalfEven ||
      !zero)
    return std::nullopt;
  double low = elementOf(op.getResult()).isUnsignedInteger() ? 0 : -128;
  return Rounded{op.getInput(), op.getScale(), static_cast<double>(*zero), low,
                 low + 255};
}

/// The offset in whole units of the one term, where that is near enough.
static std::optional<Numbers> offsetInUnits(const Affine &affine) {
  if (affine.terms.size() != 1)
    return std::nullopt;
  bool isNear = true;
  std::optional<Numbers> units = combine(
      affine.offset, affine.terms[0].scale, [&](double offset, double scale) {
        double unit = scale == 0 ? 0 : std::nearbyint(offset / scale);
        bool isSmall = unit == 0 || (std::abs(scale) >= leastScale &&
                                     std::abs(unit) < largestScaled);
        isNear &= isSmall && std::abs(unit * scale - offset) <= offsetTolerance;
        return unit;
      });
  return isNear ? units : std::nullopt;
}

/// How many bits behind the point the terms leave room for.
static int fractionBitsOf(const Affine &affine) {
  auto largest = [](const Numbers &numbers) {
    double most = 0;
    for (double number : numbers.values)
      most = std::max(most, std::abs(number));
    return most;
  };
  double most = std::max(mostSteps, largest(affine.offset));
  for (const Affine::Term &term : affine.terms)
    most =
        std::max(most, (isByte(term.integers) ? 255 : 1) * largest(term.scale));
  if (!std::isfinite(most))
    return 0;
  return sumBits - static_cast<int>(std::ceil(std::log2(most)));
}

/// What round(affine) is requantized of.
static SmallVector<Value, 3> emitScaling(Emitter &emit, const Affine &affine) {
  Type i32 = emit.rewriter.getI32Type();
  auto isZero = [](const Numbers &numbers) {
    return llvm::all_of(numbers.values, [](double x) { return x == 0; });
  };
  if (std::optional<Numbers> units = offsetInUnits(affine)) {
    Value value = affine.terms[0].made(emit);
    if (!isZero(*units)) {
      if (!isByte(value)) // the sum of both must not wrap
        value = emit.clip(value, -largestSum, largestSum);
      value = emit.step(NPU_INSTR_add,
                        {emit.cast(value, i32), emit.constant(*units)});
    }
    return emit.scaling(value, affine.terms[0].scale);
  }
  int bits = fractionBitsOf(affine);
  auto inFractions = [&](Numbers numbers) {
    for (double &number : numbers.values)
      number = std::ldexp(number, bits);
    return numbers;
  };
  Value total;
  for (const Affine::Term &term : affine.terms) {
    Value one = emit.scale(term.made(emit), inFractions(term.scale));
    total = total ? emit.step(NPU_INSTR_add, {total, one}) : one;
  }
  Numbers offset = inFractions(affine.offset);
  for (double &number : offset.values)
    number = std::nearbyint(number);
  if (!isZero(offset))
    total = emit.step(NPU_INSTR_add, {total, emit.constant(offset)});
  return {total, emit.constant(Numbers::of(1)),
          emit.constant(Numbers::of(bits))};
}

/// The byte that quantizes to itself, or null.
static Value sameByte(const Affine &affine, const Rounded &rounded, Type type) {
  constexpr double near = 0x1p-9; // steps by which one of 255 may be off
  Value byte = affine.terms[0].integers;
  bool isSame = affine.terms.size() == 1 && byte.getType() == type &&
                !affine.isBounded() && affine.offset.isOne() &&
                affine.terms[0].scale.isOne() &&
                std::abs(affine.terms[0].scale.one() - 1) * 255 <= near &&
                std::abs(affine.offset.one() + rounded.zero) <= near;
  return isSame ? byte : Value();
}

namespace {

// Pattern: quantize(affine(integers)) -> requantize(integers, factor, shift)
struct RequantizeInIntegers : OpRewritePattern<QuantizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(QuantizeOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Rounded> rounded = roundedBefore(op);
    if (!rounded)
      return rewriter.notifyMatchFailure(op, "not to bytes");
    std::optional<Affine> affine = integers::affineOf(*rounded);
    if (!affine || fractionBitsOf(*affine) < leastFractionBits)
      return rewriter.notifyMatchFailure(op, "not affine in integers");
    if (Value byte = sameByte(*affine, *rounded, op.getResult().getType())) {
      rewriter.replaceOp(op, byte);
      return success();
    }
    Emitter emit{rewriter, op.getLoc()};
    auto bound = [&](double number) {
      number = std::nearbyint(number) + rounded->zero;
      return std::min(std::max(number, rounded->low), rounded->high);
    };
    Rounded bounded = *rounded;
    bounded.low = bound(affine->low);
    bounded.high = bound(affine->high);
    Value value = emit.requantize(emitScaling(emit, *affine), bounded,
                                  elementOf(op.getResult()));
    // Constants of one number have widened it in the model.
    if (value.getType() != op.getResult().getType())
      value = BroadcastOp::create(rewriter, op.getLoc(),
                                  op.getResult().getType(), value);
    rewriter.replaceOp(op, value);
    return success();
  }
};

struct RequantizeIntegersPass
    : PassOfTarget<npu::impl::RequantizeIntegersBase<RequantizeIntegersPass>> {
  using PassOfTarget::PassOfTarget;

  void runOnOperation() override {
    Type f32 = mlir::Float32Type::get(&getContext());
    if (spec.get() && spec.get()->supports(f32))
      return;
    if (failed(requantizeIntegers(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult npu::requantizeIntegers(Operation *root) {
  mlir::RewritePatternSet patterns(root->getContext());
  constexpr int first = 2;
  patterns.add<RequantizeInIntegers>(root->getContext(), first);
  addIntegerFunctionPatterns(patterns);
  addQuantizedOperandPatterns(patterns);
  return apply(root, std::move(patterns));
}

std::unique_ptr<mlir::Pass>
npu::createRequantizeIntegers(const TargetSpec *target) {
  return std::make_unique<RequantizeIntegersPass>(target);
}
