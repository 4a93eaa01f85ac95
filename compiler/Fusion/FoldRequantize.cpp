// SPDX-License-Identifier: Apache-2.0
//
// npu-fold-requantize: the scales between a sum and the rounding of it to a
// quantized number become one.
//
// It ends: a scalar step becomes linear once; linear steps and quotients move
// towards the operands of relu, clip and steps with one constant for each
// channel, and vanish in other such steps; a linear step moves below a sum only
// off a converted byte, and only where no operand of the sum is one without a
// step.
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

/// The rounding that the result ends in, through steps that only it needs.
static EltwiseOp roundBehind(EltwiseOp op) {
  for (int i = 0; i < longestChain; ++i) {
    if (isKind(op, NPU_INSTR_round))
      return op;
    if (!elementOf(op.getResult()).isF32() || !op->hasOneUse())
      return EltwiseOp();
    op = dyn_cast<EltwiseOp>(*op->user_begin());
    if (!op)
      return op;
  }
  return EltwiseOp();
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

/// Whether `op` is a step between a sum and its rounding.
static bool isRequantizing(EltwiseOp op) {
  EltwiseOp round = op ? roundBehind(op) : op;
  return round && round != op && isOfSum(round.getInputs()[0]);
}

/// Replaces `op` by linear(input).
static LogicalResult replaceByLinear(PatternRewriter &rewriter, Operation *op,
                                     Location location, Value input,
                                     float alpha, float beta) {
  if (!std::isnormal(alpha) || !std::isfinite(beta))
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

namespace {

// Pattern: mul(X, c), add(X, c), sub(X, c), div(X, c) -> linear(X)
// Pattern: add(round(X), c) -> linear(round(X))
// Pattern: div(mul(X, C), c) -> mul(X, C / c)
// Pattern: div(f(X), c) -> f'(div(X, c)) for relu, clip, add(X, C)
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
    bool isZeroPoint =
        isKind(op, NPU_INSTR_add) && definedBy(input, NPU_INSTR_round);
    if (!isZeroPoint && !isRequantizing(op))
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
    auto inner = input.getDefiningOp<EltwiseOp>();
    int64_t kind = inner && inner->hasOneUse() ? inner.getKind() : -1;
    bool hasBounds = kind == NPU_INSTR_relu || kind == NPU_INSTR_clip;
    if (kind == NPU_INSTR_linear)
      return replaceByLinear(rewriter, op, fuseLocations({inner, op}),
                             inner.getInputs()[0], alphaOf(inner) / number,
                             betaOf(inner) / number);
    bool isStep = kind == NPU_INSTR_mul || kind == NPU_INSTR_add;
    bool hasConstant =
        isStep && floatsOf(inner.getInputs()[1]) &&
        inner.getInputs()[0].getType() == inner.getResult().getType();
    if (!(hasBounds && number > 0) && !hasConstant)
      return replaceByLinear(rewriter, op, op.getLoc(), input, 1 / number, 0);
    return divideInside(rewriter, op, inner, number);
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
    float scale = alphaOf(residual);
    if (!std::isnormal(1 / scale))
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
    return replaceByLinear(rewriter, op, location, *sum, scale,
                           betaOf(residual));
  }

  /// The operand to be read as bytes: of two, the one that is there earlier.
  static std::optional<unsigned> residualSide(EltwiseOp op) {
    Value bytes[2];
    for (unsigned i : {0u, 1u}) {
      Value input = op.getInputs()[i];
      if (constantOf(input) || input.getType() != op.getResult().getType())
        return std::nullopt;
      if (convertedBytes(input)) // one is in its unit already
        return std::nullopt;
      EltwiseOp linear = definedBy(input, NPU_INSTR_linear);
      if (linear && linear->hasOneUse())
        bytes[i] = convertedBytes(linear.getInputs()[0]);
    }
    if (!bytes[0] || !bytes[1])
      return bytes[0]   ? std::optional(0u)
             : bytes[1] ? std::optional(1u)
                        : std::nullopt;
    Operation *first = bytes[0].getDefiningOp();
    Operation *second = bytes[1].getDefiningOp();
    return second && (!first || first->isBeforeInBlock(second)) ? 0u : 1u;
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

LogicalResult npu::foldRequantize(Operation *root) {
  mlir::RewritePatternSet patterns(root->getContext());
  patterns.add<ScalarStep, MoveLinear, ResidualInItsUnit>(root->getContext());
  if (failed(apply(root, std::move(patterns))))
    return failure();
  convertAtReaders(root);
  return success();
}
