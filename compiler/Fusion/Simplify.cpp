// SPDX-License-Identifier: Apache-2.0
//
// npu-simplify: views that cancel, broadcasts as late as they can be, and
// affine steps with constants in one form.
//
// It ends: the view patterns remove ops, or a transpose, or move a reshape in
// front of one (never back); an average of a whole image is none any more;
// those on broadcasts move one towards the results, or leave it out; those on
// boxes remove a scatter, or a concat, as do those on rotary embedding; of the
// arithmetic ones each removes an op, or turns sub and div into add and mul
// (never back), or moves a constant to the right, or moves a mul above an add,
// or a difference behind a cast (never back).
#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Fusion/FusionTraits.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Fusion/Rewrites.h"

#include <cmath>

using namespace npu;
using namespace npu::rewrites;
using mlir::OpRewritePattern;
using mlir::PatternRewriter;

namespace npu {
#define GEN_PASS_DEF_SIMPLIFY
#include "compiler/Fusion/Passes.h.inc"
} // namespace npu

static bool isFloat(Value value) {
  return isa<mlir::FloatType>(tensorType(value).getElementType());
}

/// `value` in an op's place is no loss only if the op did not broadcast it.
static bool keepsShape(EltwiseOp op, Value value) {
  return value.getType() == op.getResult().getType();
}

/// Neutral up to the rounding of the constant itself.
static bool isAbout(float value, float neutral) {
  return std::fabs(value - neutral) <= 1.2e-7f;
}

/// Replaces `op` by the elementwise function of these operands.
static LogicalResult replaceByEltwise(PatternRewriter &rewriter, Operation *op,
                                      Location location, npu_instr_kind kind,
                                      ValueRange inputs) {
  FailureOr<Value> result = makeEltwise(rewriter, location, kind, inputs);
  if (failed(result))
    return failure();
  rewriter.replaceOp(op, *result);
  return success();
}

namespace {

// Pattern: add(c, X) -> add(X, c); mul(c, X) -> mul(X, c)
struct ConstantRight : OpRewritePattern<EltwiseOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EltwiseOp op,
                                PatternRewriter &rewriter) const override {
    if (!isKind(op, NPU_INSTR_add) && !isKind(op, NPU_INSTR_mul))
      return rewriter.notifyMatchFailure(op, "not commutative");
    Value left = op.getInputs()[0], right = op.getInputs()[1];
    if (!constantOf(left) || constantOf(right))
      return rewriter.notifyMatchFailure(op, "no constant at the left");
    rewriter.modifyOpInPlace(
        op, [&] { op.getInputsMutable().assign({right, left}); });
    return success();
  }
};

/// What a function makes of the last bit of a number.
enum class LastBit { Decides, Passes, Fades };
} // namespace

static LastBit lastBitIn(EltwiseOp op) {
  switch (op.getKind()) {
  case NPU_INSTR_round:
  case NPU_INSTR_round_away:
  case NPU_INSTR_floor:
  case NPU_INSTR_ceil:
  case NPU_INSTR_sign:
  case NPU_INSTR_mod:
  case NPU_INSTR_bitcast:
  case NPU_INSTR_equal:
  case NPU_INSTR_less:
  case NPU_INSTR_less_equal:
  case NPU_INSTR_greater:
  case NPU_INSTR_greater_equal:
    return LastBit::Decides;
  case NPU_INSTR_cast:
    return isFloat(op.getResult()) ? LastBit::Passes : LastBit::Decides;
  case NPU_INSTR_abs:
  case NPU_INSTR_neg:
  case NPU_INSTR_add:
  case NPU_INSTR_sub:
  case NPU_INSTR_mul:
  case NPU_INSTR_div:
  case NPU_INSTR_min:
  case NPU_INSTR_max:
  case NPU_INSTR_clip:
  case NPU_INSTR_relu:
  case NPU_INSTR_leaky_relu:
  case NPU_INSTR_prelu:
  case NPU_INSTR_select: // a scale that must not be 0
    return LastBit::Passes;
  default:
    return LastBit::Fades;
  }
}

/// Whether rounding to a whole number, or a comparison, decides what becomes of
/// the value: the last bit of a tie must stay what it is.
static bool isRounded(Value value, int depth = 8) {
  return depth > 0 && llvm::any_of(value.getUsers(), [&](Operation *user) {
           if (isa<StepsOpInterface>(user))
             return true;
           auto kernel = dyn_cast<KernelOpInterface>(user);
           if (!kernel)
             return false;
           auto next = dyn_cast<EltwiseOp>(user);
           LastBit bit = next ? lastBitIn(next)
                         : fusionTraitsOf(kernel).movesElements
                             ? LastBit::Passes
                             : LastBit::Fades;
           return bit == LastBit::Decides ||
                  (bit == LastBit::Passes &&
                   isRounded(user->getResult(0), depth - 1));
         });
}

/// Whether the value is a whole number as it was stored: a zero point must be
/// subtracted before anything rounds.
static bool isWholeNumber(Value value) {
  EltwiseOp cast = definedBy(value, NPU_INSTR_cast);
  return cast && !isFloat(cast.getInputs()[0]);
}

namespace {

// Pattern: sub(X, c) -> add(X, -c); div(X, c) -> mul(X, 1 / c)
struct AffineForm : OpRewritePattern<EltwiseOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EltwiseOp op,
                                PatternRewriter &rewriter) const override {
    bool isSub = isKind(op, NPU_INSTR_sub);
    if (!isSub && !isKind(op, NPU_INSTR_div))
      return rewriter.notifyMatchFailure(op, "neither sub nor div");
    if (!isSub && isRounded(op.getResult()))
      return rewriter.notifyMatchFailure(op, "a quotient that is rounded");
    Value right = op.getInputs()[1];
    std::optional<std::vector<float>> values = floatsOf(right);
    if (!values || constantOf(op.getInputs()[0]))
      return rewriter.notifyMatchFailure(op, "not by an f32 constant");
    for (float &value : *values) {
      value = isSub ? -value : 1 / value;
      if (!std::isnormal(value) && !(isSub && value == 0))
        return rewriter.notifyMatchFailure(op, "no finite reciprocal");
    }
    Value constant =
        makeFloats(rewriter, right.getLoc(), shapeOf(right), *values);
    return replaceByEltwise(rewriter, op, op.getLoc(),
                            isSub ? NPU_INSTR_add : NPU_INSTR_mul,
                            {op.getInputs()[0], constant});
  }
};

// Pattern: add(X, -0) -> X; mul(X, 1) -> X
// Of -0, the sum with 0 is 0.
struct DropNeutral : OpRewritePattern<EltwiseOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EltwiseOp op,
                                PatternRewriter &rewriter) const override {
    bool isAdd = isKind(op, NPU_INSTR_add);
    if (!isAdd && !isKind(op, NPU_INSTR_mul))
      return rewriter.notifyMatchFailure(op, "no neutral element");
    Value input = op.getInputs()[0];
    std::optional<std::vector<float>> values = floatsOf(op.getInputs()[1]);
    if (!values || !keepsShape(op, input))
      return rewriter.notifyMatchFailure(op, "not by an f32 constant");
    auto isNeutral = [&](float v) {
      return isAdd ? v == 0 && std::signbit(v) : isAbout(v, 1);
    };
    if (!llvm::all_of(*values, isNeutral))
      return rewriter.notifyMatchFailure(op, "not neutral");
    rewriter.replaceOp(op, input);
    return success();
  }
};

// Pattern: pow(X, 1) -> X; pow(X, 5) -> mul(square(square(X)), X)
// Up to the exponents that a few products make: beyond, their roundings add up.
struct PlainPower : OpRewritePattern<EltwiseOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EltwiseOp op,
                                PatternRewriter &rewriter) const override {
    if (!isKind(op, NPU_INSTR_pow) || !keepsShape(op, op.getInputs()[0]))
      return rewriter.notifyMatchFailure(op, "not a power of the whole");
    Value base = op.getInputs()[0];
    std::optional<float> exponent = scalarOf(op.getInputs()[1]);
    if (!exponent || *exponent < 1 || *exponent > 16 ||
        *exponent != std::floor(*exponent))
      return rewriter.notifyMatchFailure(op, "not a small whole exponent");
    const auto whole = static_cast<unsigned>(*exponent);
    FailureOr<Value> power = base;
    for (unsigned bit = llvm::Log2_32(whole); bit-- > 0 && succeeded(power);) {
      power =
          makeEltwise(rewriter, op.getLoc(), NPU_INSTR_mul, {*power, *power});
      if (succeeded(power) && (whole >> bit & 1))
        power =
            makeEltwise(rewriter, op.getLoc(), NPU_INSTR_mul, {*power, base});
    }
    if (failed(power))
      return failure();
    rewriter.replaceOp(op, *power);
    return success();
  }
};

// Pattern: add(add(X, a), b) -> add(X, a + b)
// Pattern: mul(mul(X, a), b) -> mul(X, a * b)
// Pattern: mul(add(X, a), b) -> add(mul(X, b), a * b)
struct MergeAffine : OpRewritePattern<EltwiseOp> {
  using OpRewritePattern::OpRewritePattern;

  /// The inner step, if it is of this kind and read by `op` alone.
  static EltwiseOp innerOf(EltwiseOp op, npu_instr_kind kind) {
    EltwiseOp inner = definedBy(op.getInputs()[0], kind);
    return inner && inner->hasOneUse() && constantOf(inner.getInputs()[1])
               ? inner
               : EltwiseOp();
  }

  /// The largest magnitude of a constant whose numbers are all modest.
  static std::optional<float> modestLargest(Value constant, bool isOffset) {
    std::optional<std::vector<float>> values = floatsOf(constant);
    if (!values ||
        !llvm::all_of(*values, isOffset ? isModestOffset : isModestScale))
      return std::nullopt;
    float most = 0;
    for (float value : *values)
      most = std::max(most, std::fabs(value));
    return most;
  }

  /// A column and a row make a matrix, which costs more than a step.
  static bool grows(Value a, Value b) {
    std::string error;
    FailureOr<shapes::Shape> shape = shapes::broadcast(
        {shapes::Shape(shapeOf(a)), shapes::Shape(shapeOf(b))}, error);
    if (failed(shape))
      return true;
    FailureOr<int64_t> count = shapes::elements(*shape, error);
    return failed(count) || *count > std::max(tensorType(a).getNumElements(),
                                              tensorType(b).getNumElements());
  }

  LogicalResult matchAndRewrite(EltwiseOp op,
                                PatternRewriter &rewriter) const override {
    bool isAdd = isKind(op, NPU_INSTR_add);
    if ((!isAdd && !isKind(op, NPU_INSTR_mul)) || !isFloat(op.getResult()) ||
        !constantOf(op.getInputs()[1]))
      return rewriter.notifyMatchFailure(op, "no affine step");
    npu_instr_kind kind = isAdd ? NPU_INSTR_add : NPU_INSTR_mul;
    EltwiseOp same = innerOf(op, kind);
    EltwiseOp sum = isAdd ? EltwiseOp() : innerOf(op, NPU_INSTR_add);
    EltwiseOp inner = same ? same : sum;
    if (!inner)
      return rewriter.notifyMatchFailure(op, "no affine step before it");
    Value input = inner.getInputs()[0], a = inner.getInputs()[1],
          b = op.getInputs()[1];
    Location location = fuseLocations({inner, op});
    if (isWholeNumber(input) || isRounded(op.getResult()))
      return rewriter.notifyMatchFailure(op, "steps of a quantized number");
    if (grows(a, b))
      return rewriter.notifyMatchFailure(op, "the constant would grow");
    std::optional<float> inside = modestLargest(a, isAdd || sum),
                         outside = modestLargest(b, isAdd);
    if (!inside || !outside || (sum && !isModestOffset(*inside * *outside)))
      return rewriter.notifyMatchFailure(op, "the order of the steps shows");
    FailureOr<Value> merged = makeEltwise(rewriter, location, kind, {a, b});
    if (failed(merged))
      return failure();
    if (same)
      return replaceByEltwise(rewriter, op, location, kind, {input, *merged});
    FailureOr<Value> scaled =
        makeEltwise(rewriter, location, NPU_INSTR_mul, {input, b});
    if (failed(scaled))
      return failure();
    return replaceByEltwise(rewriter, op, location, NPU_INSTR_add,
                            {*scaled, *merged});
  }
};

/// Whether the value stands for integers: a few steps with constants behind a
/// conversion.
bool isOfIntegers(Value value, int depth = 4) {
  Operation *step = value.getDefiningOp();
  return isElementwise(step) && depth > 0 &&
         (isa<DequantizeOp>(step) || isWholeNumber(value) ||
          isOfIntegers(step->getOperand(0), depth - 1));
}

// Pattern: avg_pool(X) of the whole image -> reduce(X), whatever exporters call
//          it; not between integers, which have an average of their own
struct WholeAverage : OpRewritePattern<AvgPoolOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AvgPoolOp op,
                                PatternRewriter &rewriter) const override {
    auto isZero = [](int64_t pad) { return pad == 0; };
    if (!isF32(op.getData()) || !isF32(op.getResult()) ||
        shapeOf(op.getData()).drop_front(2) !=
            ArrayRef<int64_t>(toInts(op.getKernel())) ||
        !llvm::all_of(toInts(op.getPads()), isZero) ||
        !llvm::all_of(toInts(op.getDilations()),
                      [](int64_t step) { return step == 1; }))
      return rewriter.notifyMatchFailure(op, "not of the whole image");
    if (isOfIntegers(op.getData()) || isRounded(op.getResult()))
      return rewriter.notifyMatchFailure(op, "of quantized numbers");
    SmallVector<int64_t> axes = llvm::to_vector(
        llvm::seq<int64_t>(2, tensorType(op.getData()).getRank()));
    rewriter.replaceOpWithNewOp<ReduceOp>(op, op.getResult().getType(),
                                          op.getData(), ReduceKind::Mean,
                                          rewriter.getI64ArrayAttr(axes), true);
    return success();
  }
};

struct SimplifyPass : npu::impl::SimplifyBase<SimplifyPass> {
  void runOnOperation() override {
    if (failed(simplify(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult npu::simplify(Operation *root) {
  mlir::RewritePatternSet patterns(root->getContext());
  addViewPatterns(patterns);
  addBoxPatterns(patterns);
  addRotaryPatterns(patterns);
  addBroadcastPatterns(patterns);
  addExactSumPatterns(patterns);
  patterns.add<ConstantRight, AffineForm, DropNeutral, PlainPower, MergeAffine,
               WholeAverage>(root->getContext());
  return apply(root, std::move(patterns));
}
