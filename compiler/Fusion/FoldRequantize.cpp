// SPDX-License-Identifier: Apache-2.0
//
// npu-fold-requantize: the scales between a sum and the rounding of it to a
// quantized number become one.
//
// It ends: a scalar step becomes linear once; linear steps and quotients move
// towards the operands of relu, clip and steps with one constant for each
// channel, and vanish in other such steps; a linear step moves below a sum only
// off a converted byte, and only where no operand of the sum is one without a
// step; an average of real numbers becomes one of bytes once.
//
// Sums of two quantized numbers and averages come first, in a run of their own:
// their constants are made of the zero points and scales that the model gives.
#include "compiler/Fusion/Passes.h"
#include "compiler/Fusion/Rewrites.h"

#include <cmath>

using namespace npu;
using namespace npu::rewrites;
using mlir::OpRewritePattern;
using mlir::PatternRewriter;

namespace npu {
#define GEN_PASS_DEF_FOLDREQUANTIZE
#include "compiler/Fusion/Passes.h.inc"
} // namespace npu

static Type elementOf(Value value) {
  return tensorType(value).getElementType();
}

/// A chain longer than this is none that a quantizer writes.
static constexpr int longestChain = 16;

/// What quantizes the result, halves to even, through steps that only it needs.
static QuantizeOp quantizerBehind(EltwiseOp op) {
  for (int i = 0; i < longestChain && op; ++i) {
    if (!elementOf(op.getResult()).isF32() || !op->hasOneUse() ||
        isKind(op, NPU_INSTR_round))
      break;
    Operation *user = *op->user_begin();
    if (auto quantizer = dyn_cast<QuantizeOp>(user))
      return quantizer.getRounding() == Rounding::HalfEven ? quantizer
                                                           : QuantizeOp();
    op = dyn_cast<EltwiseOp>(user);
  }
  return QuantizeOp();
}

/// Whether the value is a scaled sum: its last bits are those of its rounding,
/// so that they do not decide between neighbours. A quantized number in another
/// unit lies in the middle between two as a rule, not by chance.
static bool isOfSum(Value value, int depth = longestChain) {
  auto op = value.getDefiningOp<EltwiseOp>();
  if (!op || depth == 0)
    return false;
  if (isKind(op, NPU_INSTR_cast))
    return elementOf(op.getInputs()[0]).isSignlessInteger(32);
  SmallVector<Value> variable;
  for (Value input : op.getInputs())
    if (!constantOf(input))
      variable.push_back(input);
  return (isKind(op, NPU_INSTR_add) && variable.size() == 2) ||
         llvm::any_of(variable,
                      [&](Value input) { return isOfSum(input, depth - 1); });
}

/// Whether `op` is a step between a sum and what quantizes it.
static bool isRequantizing(EltwiseOp op) {
  QuantizeOp quantizer = quantizerBehind(op);
  return quantizer && isOfSum(quantizer.getInput());
}

/// Whether linear steps with these numbers are made: a scale or offset that a
/// product made infinite or 0 says nothing of the step that it came from.
static bool areOrdinary(float alpha, float beta) {
  return std::isnormal(alpha) && std::isfinite(beta);
}

/// Replaces `op` by linear(input). Who has made `input` for it has asked before
/// whether the numbers are ordinary: a pattern that changes something must not
/// fail, or it is tried for ever.
static LogicalResult replaceByLinear(PatternRewriter &rewriter, Operation *op,
                                     Location location, Value input,
                                     float alpha, float beta) {
  if (!areOrdinary(alpha, beta))
    return rewriter.notifyMatchFailure(op, "no ordinary number");
  FailureOr<Value> result =
      makeEltwise(rewriter, location, NPU_INSTR_linear, {input}, alpha, beta);
  if (failed(result))
    return failure();
  rewriter.replaceOp(op, *result);
  return success();
}

static float alphaOf(EltwiseOp op) { return op.getAlpha().convertToFloat(); }
static float betaOf(EltwiseOp op) { return op.getBeta().convertToFloat(); }

/// The f32 constant with each element divided by `number`.
static Value divided(OpBuilder &builder, Value constant, float number) {
  std::vector<float> values = *floatsOf(constant);
  for (float &value : values)
    value /= number;
  return makeFloats(builder, constant.getLoc(), shapeOf(constant), values);
}

/// The f32 constant with each element v as v * alpha + beta.
static Value changed(OpBuilder &builder, Value constant, float alpha,
                     float beta) {
  std::vector<float> values = *floatsOf(constant);
  for (float &value : values)
    value = value * alpha + beta;
  return makeFloats(builder, constant.getLoc(), shapeOf(constant), values);
}

/// The number that `op` divides reals by, all of them by the same.
static std::optional<float> divisorOf(EltwiseOp op) {
  if (!isKind(op, NPU_INSTR_div) || !elementOf(op.getResult()).isF32() ||
      op.getInputs()[0].getType() != op.getResult().getType())
    return std::nullopt;
  return scalarOf(op.getInputs()[1]);
}

namespace {

// Pattern: mul(X, c), add(X, c), sub(X, c), div(X, c) -> linear(X)
struct ScalarStep : OpRewritePattern<EltwiseOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EltwiseOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getInputs().size() != 2 || !elementOf(op.getResult()).isF32())
      return rewriter.notifyMatchFailure(op, "no step of two floats");
    Value input = op.getInputs()[0];
    std::optional<float> number = scalarOf(op.getInputs()[1]);
    if (!number || constantOf(input) ||
        input.getType() != op.getResult().getType())
      return rewriter.notifyMatchFailure(op, "not by one number");
    if (!isRequantizing(op))
      return rewriter.notifyMatchFailure(op, "not of a quantized sum");
    switch (op.getKind()) {
    case NPU_INSTR_mul:
      return replaceByLinear(rewriter, op, op.getLoc(), input, *number, 0);
    case NPU_INSTR_div:
      return divide(rewriter, op, *number);
    case NPU_INSTR_add:
      return replaceByLinear(rewriter, op, op.getLoc(), input, 1, *number);
    case NPU_INSTR_sub:
      return replaceByLinear(rewriter, op, op.getLoc(), input, 1, -*number);
    default:
      return rewriter.notifyMatchFailure(op, "not affine");
    }
  }

  /// Scales are divided, not multiplied by a reciprocal: other runtimes do so,
  /// and the last bit of a scale decides about ten numbers of a million.
  static LogicalResult divide(PatternRewriter &rewriter, EltwiseOp op,
                              float number) {
    Value input = op.getInputs()[0];
    EltwiseOp inner = definedBy(input, NPU_INSTR_linear);
    if (inner && inner->hasOneUse())
      return replaceByLinear(rewriter, op, fuseLocations({inner, op}),
                             inner.getInputs()[0], alphaOf(inner) / number,
                             betaOf(inner) / number);
    return replaceByLinear(rewriter, op, op.getLoc(), input, 1 / number, 0);
  }
};

// Pattern: div(mul(X, C), c) -> mul(X, C / c)
// Pattern: div(f(X), c) -> f'(div(X, c)) for relu, clip, add(X, C)
struct DivideInside : OpRewritePattern<EltwiseOp> {
  // Before a quotient becomes a linear step.
  explicit DivideInside(mlir::MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(EltwiseOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<float> number = divisorOf(op);
    if (!number || !isRequantizing(op))
      return rewriter.notifyMatchFailure(op, "no quotient of a quantized sum");
    auto inner = op.getInputs()[0].getDefiningOp<EltwiseOp>();
    int64_t kind = inner && inner->hasOneUse() ? inner.getKind() : -1;
    bool hasBounds = kind == NPU_INSTR_relu || kind == NPU_INSTR_clip;
    bool isStep = kind == NPU_INSTR_mul || kind == NPU_INSTR_add;
    bool hasConstant =
        isStep && floatsOf(inner.getInputs()[1]) &&
        inner.getInputs()[0].getType() == inner.getResult().getType();
    if (!(hasBounds && *number > 0) && !hasConstant)
      return rewriter.notifyMatchFailure(op, "nothing to divide inside of");
    return divideInside(rewriter, op, inner, *number);
  }

  /// div(f(X), c) -> f'(div(X, c)); for a product f'(X).
  static LogicalResult divideInside(PatternRewriter &rewriter, EltwiseOp op,
                                    EltwiseOp inner, float number) {
    Location location = fuseLocations({inner, op});
    SmallVector<Value> inputs(inner.getInputs());
    if (inputs.size() > 1)
      inputs[1] = divided(rewriter, inputs[1], number);
    if (!isKind(inner, NPU_INSTR_mul)) {
      FailureOr<Value> quotient = makeEltwise(rewriter, location, NPU_INSTR_div,
                                              {inputs[0], op.getInputs()[1]});
      if (failed(quotient))
        return failure();
      inputs[0] = *quotient;
    }
    FailureOr<Value> result = makeEltwise(
        rewriter, location, static_cast<npu_instr_kind>(inner.getKind()),
        inputs, alphaOf(inner) / number, betaOf(inner) / number);
    if (failed(result))
      return failure();
    rewriter.replaceOp(op, *result);
    return success();
  }
};

// Pattern: linear(linear(X)) -> linear(X)
// Pattern: linear(relu(X)) -> relu(linear(X)), scale > 0, no offset
// Pattern: linear(clip(X, l, h)) -> clip(linear(X), l', h'), scale > 0
// Pattern: linear(mul(X, C)) -> mul(X, C'), no offset
// Pattern: linear(add(X, C)) -> add(linear(X), C')
struct MoveLinear : OpRewritePattern<EltwiseOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EltwiseOp op,
                                PatternRewriter &rewriter) const override {
    if (!isKind(op, NPU_INSTR_linear) || !isRequantizing(op))
      return rewriter.notifyMatchFailure(op, "no step of a quantized sum");
    auto inner = op.getInputs()[0].getDefiningOp<EltwiseOp>();
    if (!inner || !inner->hasOneUse())
      return rewriter.notifyMatchFailure(op, "nothing to move through");
    float alpha = alphaOf(op), beta = betaOf(op);
    Location location = fuseLocations({inner, op});
    switch (inner.getKind()) {
    case NPU_INSTR_linear:
      return replaceByLinear(rewriter, op, location, inner.getInputs()[0],
                             alpha * alphaOf(inner),
                             alpha * betaOf(inner) + beta);
    case NPU_INSTR_relu:
    case NPU_INSTR_clip:
      return throughBounds(rewriter, op, inner, location);
    case NPU_INSTR_mul:
    case NPU_INSTR_add:
      return throughConstant(rewriter, op, inner, location);
    default:
      return rewriter.notifyMatchFailure(op, "nothing to move through");
    }
  }

  static LogicalResult throughBounds(PatternRewriter &rewriter, EltwiseOp op,
                                     EltwiseOp inner, Location location) {
    float alpha = alphaOf(op), beta = betaOf(op);
    bool isRelu = isKind(inner, NPU_INSTR_relu);
    if (alpha <= 0 || (isRelu && beta != 0))
      return rewriter.notifyMatchFailure(op, "the bounds would differ");
    FailureOr<Value> moved = makeEltwise(rewriter, location, NPU_INSTR_linear,
                                         {inner.getInputs()[0]}, alpha, beta);
    if (failed(moved))
      return failure();
    float low = isRelu ? 0 : alphaOf(inner) * alpha + beta;
    float high = isRelu ? 0 : betaOf(inner) * alpha + beta;
    FailureOr<Value> result = makeEltwise(
        rewriter, location, static_cast<npu_instr_kind>(inner.getKind()),
        {*moved}, low, high);
    if (failed(result))
      return failure();
    rewriter.replaceOp(op, *result);
    return success();
  }

  static LogicalResult throughConstant(PatternRewriter &rewriter, EltwiseOp op,
                                       EltwiseOp inner, Location location) {
    float alpha = alphaOf(op), beta = betaOf(op);
    bool isMul = isKind(inner, NPU_INSTR_mul);
    Value input = inner.getInputs()[0], constant = inner.getInputs()[1];
    if (!constantOf(constant) || !floatsOf(constant) ||
        input.getType() != inner.getResult().getType() || (isMul && beta != 0))
      return rewriter.notifyMatchFailure(op, "not a step with a constant");
    if (!isMul && alpha != 1) {
      FailureOr<Value> scaled =
          makeEltwise(rewriter, location, NPU_INSTR_linear, {input}, alpha, 0);
      if (failed(scaled))
        return failure();
      input = *scaled;
    }
    FailureOr<Value> result = makeEltwise(
        rewriter, location, static_cast<npu_instr_kind>(inner.getKind()),
        {input, changed(rewriter, constant, alpha, beta)});
    if (failed(result))
      return failure();
    rewriter.replaceOp(op, *result);
    return success();
  }
};

/// The number that cast(number) converts, from bytes.
Value convertedBytes(Value value) {
  EltwiseOp cast = definedBy(value, NPU_INSTR_cast);
  if (!cast)
    return Value();
  auto from = dyn_cast<mlir::IntegerType>(elementOf(cast.getInputs()[0]));
  return from && from.getWidth() == 8 ? cast.getInputs()[0] : Value();
}

/// A real value as (bytes - zero) * scale.
struct Quantized {
  Value bytes;
  float scale, zero;
};

/// What a sum's operand was dequantized from; no bytes if it was not, or not
/// with one scale and one zero point.
Quantized quantizedOf(Value value) {
  auto op = value.getDefiningOp<DequantizeOp>();
  if (!op)
    return {};
  std::optional<float> scale = scalarOf(op.getScale());
  std::optional<int64_t> zero = zeroPointOf(op.getZeroPoint());
  if (!scale || !zero ||
      elementOf(op.getInput()).getIntOrFloatBitWidth() != 8 ||
      shapeOf(op.getInput()) != shapeOf(value)) // not for each channel
    return {};
  return {op.getInput(), *scale, static_cast<float>(*zero)};
}

/// Quantizes what is in units of the result already.
static QuantizeOp quantizedUnits(PatternRewriter &rewriter, QuantizeOp op,
                                 Value units) {
  Value one = makeFloats(rewriter, op.getLoc(), {}, 1.0F);
  return QuantizeOp::create(rewriter, op.getLoc(), op.getResult().getType(),
                            units, one, op.getZeroPoint(), op.getRounding());
}

// Pattern: quantize(X, c) of a sum -> quantize(div(X, c), 1)
struct DivideFirst : OpRewritePattern<QuantizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(QuantizeOp op,
                                PatternRewriter &rewriter) const override {
    if (scalarOf(op.getScale()) == 1.0F || !constantOf(op.getScale()) ||
        op.getRounding() != Rounding::HalfEven || !isOfSum(op.getInput()))
      return rewriter.notifyMatchFailure(op, "no scale of a sum");
    FailureOr<Value> units = makeEltwise(rewriter, op.getLoc(), NPU_INSTR_div,
                                         {op.getInput(), op.getScale()});
    if (failed(units))
      return failure();
    rewriter.replaceOp(op, quantizedUnits(rewriter, op, *units));
    return success();
  }
};

// Pattern: quantize(avg_pool((a - z) * s), c)
//          -> quantize(linear(avg_pool(a), s / c, -z * s / c), 1)
struct AverageOfQuantized : OpRewritePattern<QuantizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(QuantizeOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<float> unit = scalarOf(op.getScale());
    auto pool = op.getInput().getDefiningOp<AvgPoolOp>();
    if (!unit || !zeroPointOf(op.getZeroPoint()) ||
        op.getRounding() != Rounding::HalfEven || !pool || !pool->hasOneUse())
      return rewriter.notifyMatchFailure(op, "does not quantize an average");
    Quantized data = quantizedOf(pool.getData());
    if (!data.bytes || elementOf(op.getResult()) != elementOf(data.bytes))
      return rewriter.notifyMatchFailure(op, "not from bytes to such bytes");
    auto is = [](ArrayAttr numbers, int64_t all) {
      return llvm::all_of(toInts(numbers),
                          [all](int64_t number) { return number == all; });
    };
    // Padding that counts is the number 0, which is no byte 0; no fast kernel
    // dilates.
    if ((pool.getCountIncludePad() && !is(pool.getPads(), 0)) ||
        !is(pool.getDilations(), 1))
      return rewriter.notifyMatchFailure(op, "counts padding, or is dilated");
    float scale = data.scale / *unit, offset = -scale * data.zero;
    if (!areOrdinary(scale, offset))
      return rewriter.notifyMatchFailure(op, "no ordinary number");
    auto average = AvgPoolOp::create(
        rewriter, pool.getLoc(), pool.getResult().getType(), data.bytes,
        pool.getKernel(), pool.getStrides(), pool.getPads(),
        pool.getDilations(), pool.getCountIncludePadAttr());
    FailureOr<Value> units =
        makeEltwise(rewriter, op.getLoc(), NPU_INSTR_linear,
                    {average.getResult()}, scale, offset);
    if (failed(units))
      return failure();
    rewriter.replaceOp(op, quantizedUnits(rewriter, op, *units));
    return success();
  }
};

// Pattern: div(add((a - z) * s, (b - y) * r), c)
//          -> add(linear(b, r / c, -(z * s + y * r) / c), linear(a, s / c))
// Pattern: quantize(that, 1, t) -> quantize(that + t', 1, t - t')
struct SumOfQuantized : OpRewritePattern<EltwiseOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EltwiseOp op,
                                PatternRewriter &rewriter) const override {
    if (!isKind(op, NPU_INSTR_add) || !op->hasOneUse() || !isRequantizing(op))
      return rewriter.notifyMatchFailure(op, "no sum to be quantized");
    Quantized first = quantizedOf(op.getInputs()[0]);
    Quantized other = quantizedOf(op.getInputs()[1]);
    if (!first.bytes || !other.bytes ||
        shapeOf(first.bytes) != shapeOf(other.bytes))
      return rewriter.notifyMatchFailure(op, "not of two quantized numbers");
    if (isEarlier(other.bytes, first.bytes))
      std::swap(first, other);
    auto reader = dyn_cast<EltwiseOp>(*op->user_begin());
    if (isDividedLater(reader))
      return rewriter.notifyMatchFailure(op, "the quotient comes here yet");
    std::optional<float> unit = reader ? divisorOf(reader) : std::nullopt;
    if (!unit)
      return sum(rewriter, op, op, first, other, 1);
    return sum(rewriter, op, reader, first, other, *unit);
  }

  /// Whether a quotient behind bounds will be moved inside of them.
  static bool isDividedLater(EltwiseOp op) {
    bool isBound = false;
    while (op && (isKind(op, NPU_INSTR_relu) || isKind(op, NPU_INSTR_clip)) &&
           op->hasOneUse()) {
      isBound = true;
      op = dyn_cast<EltwiseOp>(*op->user_begin());
    }
    return isBound && op && divisorOf(op).value_or(0) > 0;
  }

  static bool isEarlier(Value a, Value b) {
    Operation *first = a.getDefiningOp(), *second = b.getDefiningOp();
    return second && (!first || first->isBeforeInBlock(second));
  }

  /// The bytes that are there first are the residual: only the other can be in
  /// a kernel's accumulator. All numbers are computed as onnxruntime's
  /// QLinearAdd does it, the zero point inside of the rounding: an offset that
  /// is one bit off turns ten numbers of a million. An odd zero point leaves
  /// one behind, so that ties go where the model says.
  static LogicalResult sum(PatternRewriter &rewriter, EltwiseOp op,
                           EltwiseOp last, const Quantized &residual,
                           const Quantized &other, float unit) {
    float scale = residual.scale / unit, otherScale = other.scale / unit;
    auto behind =
        last == op ? QuantizeOp() : dyn_cast<QuantizeOp>(*last->user_begin());
    int64_t zero =
        behind ? zeroPointOf(behind.getZeroPoint()).value_or(0) : int64_t(0);
    int64_t even = zero - (zero & 1);
    float offset = static_cast<float>(even) -
                   std::fma(scale, residual.zero, otherScale * other.zero);
    if (!areOrdinary(scale, offset) || !areOrdinary(otherScale, offset))
      return rewriter.notifyMatchFailure(op, "no ordinary number");
    Location location = fuseLocations({op, last});
    rewriter.setInsertionPoint(last);
    auto scaled = [&](Value bytes, float alpha, float beta) {
      Value real =
          makeCast(rewriter, location, bytes, elementOf(op.getResult()));
      return makeEltwise(rewriter, location, NPU_INSTR_linear, {real}, alpha,
                         beta);
    };
    FailureOr<Value> accumulated = scaled(other.bytes, otherScale, offset);
    FailureOr<Value> added = scaled(residual.bytes, scale, 0);
    if (failed(accumulated) || failed(added))
      return failure();
    FailureOr<Value> result =
        makeEltwise(rewriter, location, NPU_INSTR_add, {*accumulated, *added});
    if (failed(result))
      return failure();
    rewriter.replaceOp(last, *result);
    if (even == 0)
      return success();
    auto type = RankedTensorType::get({}, rewriter.getI32Type());
    rewriter.setInsertionPoint(behind);
    Value left = ConstantOp::create(
        rewriter, behind.getLoc(), type,
        mlir::DenseElementsAttr::get(type, static_cast<int32_t>(zero - even)));
    rewriter.modifyOpInPlace(
        behind, [&] { behind.getZeroPointMutable().assign(left); });
    return success();
  }
};

// Pattern: add(X, linear(cast(bytes), s, t))
//          -> linear(add(linear(X, 1 / s, 0), cast(bytes)), s, t)
struct ResidualInItsUnit : OpRewritePattern<EltwiseOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EltwiseOp op,
                                PatternRewriter &rewriter) const override {
    if (!isKind(op, NPU_INSTR_add) || !isRequantizing(op))
      return rewriter.notifyMatchFailure(op, "no sum to be quantized");
    std::optional<unsigned> side = residualSide(op);
    if (!side)
      return rewriter.notifyMatchFailure(op, "no quantized operand");
    auto residual = op.getInputs()[*side].getDefiningOp<EltwiseOp>();
    Value other = op.getInputs()[1 - *side];
    float scale = alphaOf(residual), offset = betaOf(residual);
    if (!areOrdinary(scale, offset) || !std::isnormal(1 / scale))
      return rewriter.notifyMatchFailure(op, "no finite reciprocal");
    Location location = fuseLocations({residual, op});
    FailureOr<Value> scaled = makeEltwise(rewriter, location, NPU_INSTR_linear,
                                          {other}, 1 / scale, 0);
    if (failed(scaled))
      return failure();
    FailureOr<Value> sum = makeEltwise(rewriter, location, NPU_INSTR_add,
                                       {*scaled, residual.getInputs()[0]});
    if (failed(sum))
      return failure();
    return replaceByLinear(rewriter, op, location, *sum, scale, offset);
  }

  /// The operand to be read as bytes, if it is the only one.
  static std::optional<unsigned> residualSide(EltwiseOp op) {
    bool isBytes[2] = {false, false};
    for (unsigned i : {0u, 1u}) {
      Value input = op.getInputs()[i];
      if (constantOf(input) || input.getType() != op.getResult().getType())
        return std::nullopt;
      if (convertedBytes(input)) // one is in its unit already
        return std::nullopt;
      EltwiseOp linear = definedBy(input, NPU_INSTR_linear);
      isBytes[i] = linear && linear->hasOneUse() &&
                   convertedBytes(linear.getInputs()[0]);
    }
    if (isBytes[0] == isBytes[1])
      return std::nullopt;
    return isBytes[0] ? 0u : 1u;
  }
};

// Pattern: reduce<sum>(reduce<sum>(integers, axes), more)
//          -> reduce<sum>(integers, axes and more)
struct SumOfSums : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<ReduceOp>();
    if (!inner || !isIntegerSum(op) || !isIntegerSum(inner) ||
        !inner->hasOneUse())
      return rewriter.notifyMatchFailure(op, "no sum of sums of integers");
    SmallVector<int64_t> axes = toInts(inner.getAxes());
    llvm::append_range(axes, toInts(op.getAxes()));
    llvm::sort(axes);
    axes.erase(llvm::unique(axes), axes.end());
    rewriter.replaceOpWithNewOp<ReduceOp>(
        op, op.getResult().getType(), inner.getInput(), op.getKindAttr(),
        rewriter.getI64ArrayAttr(axes), op.getKeepDimsAttr());
    return success();
  }

  static bool isIntegerSum(ReduceOp op) {
    return op.getKind() == ReduceKind::Sum && op.getKeepDims() &&
           isa<mlir::IntegerType>(elementOf(op.getResult()));
  }
};

// Pattern: reduce<sum>(cast(bytes) - z, all of an image) -> conv2d(bytes, ones)
struct SumOfImage : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    Value numbers = op.getInput();
    int64_t zero = 0;
    if (EltwiseOp shift = definedBy(numbers, NPU_INSTR_sub))
      if (ElementsAttr offset = constantOf(shift.getInputs()[1]);
          offset && offset.getNumElements() == 1) {
        zero = elementInts(offset).front();
        numbers = shift.getInputs()[0];
      }
    Value bytes = convertedBytes(numbers);
    if (!bytes || !SumOfSums::isIntegerSum(op) ||
        !elementOf(op.getResult()).isSignlessInteger(32) ||
        shapeOf(bytes).size() != 4 ||
        toInts(op.getAxes()) != SmallVector<int64_t>{2, 3})
      return rewriter.notifyMatchFailure(op, "no sum of an image of bytes");
    FailureOr<Value> sums =
        sumWindows(rewriter, op.getLoc(), bytes,
                   {SmallVector<int64_t>(shapeOf(bytes).drop_front(2)),
                    {1, 1},
                    {0, 0, 0, 0},
                    {1, 1}},
                   zero);
    if (failed(sums))
      return rewriter.notifyMatchFailure(op, "no window of that size");
    rewriter.replaceOp(op, *sums);
    return success();
  }
};

struct FoldRequantizePass : npu::impl::FoldRequantizeBase<FoldRequantizePass> {
  void runOnOperation() override {
    if (failed(foldRequantize(getOperation())))
      signalPassFailure();
  }
};

} // namespace

/// Gives every reader of converted bytes a conversion of its own, so that it is
/// the bytes that are stored.
static void convertAtReaders(Operation *root) {
  SmallVector<EltwiseOp> casts;
  root->walk([&](EltwiseOp op) {
    if (isKind(op, NPU_INSTR_cast) && !op->hasOneUse() &&
        elementOf(op.getInputs()[0]).getIntOrFloatBitWidth() == 8 &&
        elementOf(op.getResult()).isF32())
      casts.push_back(op);
  });
  for (EltwiseOp cast : casts) {
    OpBuilder builder(cast);
    for (mlir::OpOperand &use :
         llvm::make_early_inc_range(llvm::drop_begin(cast->getUses())))
      if (isa<EltwiseOp>(use.getOwner()))
        use.set(builder.clone(*cast)->getResult(0));
  }
}

/// Writes out what makes real numbers of integers: each of its steps is one
/// that others are folded into.
static void writeOutDequantized(Operation *root,
                                llvm::function_ref<bool(Value)> isWanted) {
  SmallVector<DequantizeOp> found;
  root->walk([&](DequantizeOp op) {
    if (isWanted(op.getInput()))
      found.push_back(op);
  });
  for (DequantizeOp op : found)
    lowerQuantization(op);
}

LogicalResult npu::foldRequantize(Operation *root) {
  // Sums that a model dequantizes are scaled like those of its products.
  writeOutDequantized(root, [](Value integers) {
    return elementOf(integers).isSignlessInteger(32);
  });
  mlir::MLIRContext *context = root->getContext();
  mlir::RewritePatternSet units(context);
  units.add<DivideFirst>(context);
  if (failed(apply(root, std::move(units))))
    return failure();
  mlir::RewritePatternSet sums(context);
  sums.add<SumOfQuantized, AverageOfQuantized, DivideInside, SumOfSums,
           SumOfImage>(context);
  if (failed(apply(root, std::move(sums))))
    return failure();
  writeOutDequantized(root, [](Value) { return true; });
  mlir::RewritePatternSet patterns(context);
  patterns.add<ScalarStep, DivideInside, MoveLinear, ResidualInItsUnit>(
      context);
  if (failed(apply(root, std::move(patterns))))
    return failure();
  convertAtReaders(root);
  return success();
}
