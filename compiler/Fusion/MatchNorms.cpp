// SPDX-License-Identifier: Apache-2.0
//
// npu-match-norms: normalisations that the model spells out as means, squares
// and roots. Each pattern puts npu.tensornorm in the place of a plain sum,
// product or quotient, takes one behind it into its scale or bias, or takes it
// out of two reshapes, so the number of those falls and the pass ends.
#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Fusion/HasAny.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Fusion/Rewrites.h"

#include <cmath>

using namespace npu;
using namespace npu::rewrites;
using mlir::OpRewritePattern;
using mlir::PatternRewriter;

namespace npu {
#define GEN_PASS_DEF_MATCHNORMS
#include "compiler/Fusion/Passes.h.inc"
} // namespace npu

namespace {

/// The mean of `input` over `axes`, which stay as extents of 1.
struct Mean {
  Value input;
  SmallVector<int64_t> axes;
};

/// What 1 / sqrt(variance + epsilon) was made of; `centered` is x - mean, or x
/// itself where the mean of its own squares stands for the variance.
struct Deviation {
  Value input, centered;
  Mean mean;
  double epsilon = 0;

  bool isCentered() const { return input != centered; }
};

} // namespace

/// A mean as a reduction, or as pooling over all places.
static std::optional<Mean> meanOf(Value value) {
  if (auto reduce = value.getDefiningOp<ReduceOp>()) {
    if (reduce.getKind() != ReduceKind::Mean || !reduce.getKeepDims())
      return std::nullopt;
    return Mean{reduce.getInput(), toInts(reduce.getAxes())};
  }
  auto pool = value.getDefiningOp<AvgPoolOp>();
  if (!pool ||
      ArrayRef(toInts(pool.getKernel())) !=
          shapeOf(pool.getData()).drop_front(2) ||
      llvm::any_of(toInts(pool.getPads()), [](int64_t pad) { return pad; }))
    return std::nullopt;
  Mean mean{pool.getData(), {}};
  for (int64_t dim = 2; dim < tensorType(value).getRank(); ++dim)
    mean.axes.push_back(dim);
  return mean;
}

/// sub(X, mean(X))
static std::optional<Mean> centeredOn(Value value) {
  EltwiseOp difference = definedBy(value, NPU_INSTR_sub);
  std::optional<Mean> mean =
      difference ? meanOf(difference.getInputs()[1]) : std::nullopt;
  if (!mean || mean->input != difference.getInputs()[0])
    return std::nullopt;
  return mean;
}

/// add(mean(mul(D, D)), epsilon) with D = sub(X, mean(X)) over the same axes,
/// or with any other D (root mean square).
static std::optional<Deviation> varianceOf(Value value) {
  EltwiseOp sum = definedBy(value, NPU_INSTR_add);
  std::optional<float> epsilon =
      sum ? scalarOf(sum.getInputs()[1]) : std::nullopt;
  std::optional<Mean> squares =
      epsilon ? meanOf(sum.getInputs()[0]) : std::nullopt;
  EltwiseOp square =
      squares ? definedBy(squares->input, NPU_INSTR_mul) : EltwiseOp();
  if (!square || square.getInputs()[0] != square.getInputs()[1] ||
      !std::isfinite(*epsilon))
    return std::nullopt;
  Value centered = square.getInputs()[0];
  if (!isF32(centered))
    return std::nullopt;
  std::optional<Mean> mean = centeredOn(centered);
  if (!mean || mean->axes != squares->axes)
    mean = Mean{centered, squares->axes};
  return Deviation{mean->input, centered, *mean, *epsilon};
}

/// rsqrt(V), reciprocal(sqrt(V)) or div(1, sqrt(V)) of such a V.
static std::optional<Deviation> inverseDeviation(Value value) {
  if (EltwiseOp root = definedBy(value, NPU_INSTR_rsqrt))
    return varianceOf(root.getInputs()[0]);
  Value root;
  if (EltwiseOp reciprocal = definedBy(value, NPU_INSTR_reciprocal))
    root = reciprocal.getInputs()[0];
  EltwiseOp quotient = definedBy(value, NPU_INSTR_div);
  if (quotient && scalarOf(quotient.getInputs()[0]) == 1.0f)
    root = quotient.getInputs()[1];
  EltwiseOp square = root ? definedBy(root, NPU_INSTR_sqrt) : EltwiseOp();
  return square ? varianceOf(square.getInputs()[0]) : std::nullopt;
}

/// The other operand if one of both is `value`.
static Value beside(EltwiseOp op, Value value) {
  for (unsigned index : {0u, 1u})
    if (op.getInputs()[index] == value)
      return op.getInputs()[1 - index];
  return {};
}

/// Puts the normalisation in the place of `op`; no bias is null.
static LogicalResult replaceByNorm(PatternRewriter &rewriter, EltwiseOp op,
                                   const Deviation &deviation, Value scale,
                                   Value bias) {
  if (op.getResult().getType() != deviation.input.getType())
    return rewriter.notifyMatchFailure(op, "a result of another shape");
  if (!scale)
    scale = makeFloats(rewriter, op.getLoc(), {}, {1.0f});
  rewriter.replaceOpWithNewOp<TensornormOp>(
      op, op.getResult().getType(), deviation.input, scale, bias,
      rewriter.getI64ArrayAttr(deviation.mean.axes),
      rewriter.getF64FloatAttr(deviation.epsilon),
      rewriter.getI64IntegerAttr(1),
      rewriter.getBoolAttr(deviation.isCentered()));
  return success();
}

namespace {

// Pattern: (X - mean) / sqrt(variance + e) -> tensornorm(X)
// Pattern: (X - mean) * (1 / sqrt(variance + e)) -> tensornorm(X)
// Pattern: X / sqrt(mean(X * X) + e) -> tensornorm(X) without centering
struct MatchNorm : OpRewritePattern<EltwiseOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EltwiseOp op,
                                PatternRewriter &rewriter) const override {
    if (isKind(op, NPU_INSTR_div)) {
      EltwiseOp root = definedBy(op.getInputs()[1], NPU_INSTR_sqrt);
      std::optional<Deviation> found =
          root ? varianceOf(root.getInputs()[0]) : std::nullopt;
      if (found && found->centered == op.getInputs()[0])
        return replaceByNorm(rewriter, op, *found, {}, {});
    }
    if (!isKind(op, NPU_INSTR_mul))
      return rewriter.notifyMatchFailure(op, "neither quotient nor product");
    for (unsigned index : {0u, 1u}) {
      std::optional<Deviation> found = inverseDeviation(op.getInputs()[index]);
      if (found && found->centered == op.getInputs()[1 - index])
        return replaceByNorm(rewriter, op, *found, {}, {});
    }
    return rewriter.notifyMatchFailure(op, "no deviation");
  }
};

/// scale / sqrt(variance + e) and the scale, or null for 1.
struct Factor {
  Deviation deviation;
  Value scale;
};

// Pattern: X * f + -mean * f -> tensornorm(X, s), f = s / sqrt(variance + e)
// Pattern: X * f + (b - mean * f) -> tensornorm(X, s, b)
// Pattern: X * f - mean * f -> tensornorm(X, s)
struct MatchSpreadNorm : OpRewritePattern<EltwiseOp> {
  using OpRewritePattern::OpRewritePattern;

  static std::optional<Factor> factorOf(Value value) {
    std::optional<Deviation> plain = inverseDeviation(value);
    if (plain && plain->isCentered())
      return Factor{*plain, {}};
    EltwiseOp product = definedBy(value, NPU_INSTR_mul);
    for (unsigned index : {0u, 1u}) {
      if (!product || !constantOf(product.getInputs()[1 - index]))
        continue;
      std::optional<Deviation> found =
          inverseDeviation(product.getInputs()[index]);
      if (found && found->isCentered())
        return Factor{*found, product.getInputs()[1 - index]};
    }
    return std::nullopt;
  }

  /// Whether `value` is mean * factor; `negated`: of which sign.
  static bool isShift(Value value, const Factor &factor, Value spread,
                      bool negated) {
    EltwiseOp turned = definedBy(value, NPU_INSTR_neg);
    if (negated && turned)
      return isShift(turned.getInputs()[0], factor, spread, false);
    EltwiseOp product = definedBy(value, NPU_INSTR_mul);
    Value mean = product ? beside(product, spread) : Value();
    EltwiseOp opposite = mean ? definedBy(mean, NPU_INSTR_neg) : EltwiseOp();
    if (negated && !opposite)
      return false;
    if (negated)
      mean = opposite.getInputs()[0];
    std::optional<Mean> found = mean ? meanOf(mean) : std::nullopt;
    return found && found->input == factor.deviation.input &&
           found->axes == factor.deviation.mean.axes;
  }

  /// `scaled` + or - `rest`, if `scaled` is X * f.
  static LogicalResult match(PatternRewriter &rewriter, EltwiseOp op,
                             Value scaled, Value rest, bool isSum) {
    EltwiseOp product = definedBy(scaled, NPU_INSTR_mul);
    for (unsigned index : {0u, 1u}) {
      Value spread = product ? product.getInputs()[index] : Value();
      std::optional<Factor> factor = spread ? factorOf(spread) : std::nullopt;
      if (!factor || factor->deviation.input != product.getInputs()[1 - index])
        continue;
      if (isShift(rest, *factor, spread, /*negated=*/isSum))
        return replaceByNorm(rewriter, op, factor->deviation, factor->scale,
                             {});
      EltwiseOp offset = definedBy(rest, NPU_INSTR_sub);
      if (isSum && offset && constantOf(offset.getInputs()[0]) &&
          isShift(offset.getInputs()[1], *factor, spread, false))
        return replaceByNorm(rewriter, op, factor->deviation, factor->scale,
                             offset.getInputs()[0]);
    }
    return failure();
  }

  LogicalResult matchAndRewrite(EltwiseOp op,
                                PatternRewriter &rewriter) const override {
    bool isSum = isKind(op, NPU_INSTR_add);
    if (!isSum && !isKind(op, NPU_INSTR_sub))
      return rewriter.notifyMatchFailure(op, "neither sum nor difference");
    Value left = op.getInputs()[0], right = op.getInputs()[1];
    if (succeeded(match(rewriter, op, left, right, isSum)) ||
        (isSum && succeeded(match(rewriter, op, right, left, isSum))))
      return success();
    return rewriter.notifyMatchFailure(op, "no normalisation");
  }
};

// Pattern: tensornorm(X, s, b) * c -> tensornorm(X, s * c, b * c)
// Pattern: tensornorm(X, s, b) + c -> tensornorm(X, s, b + c)
struct AbsorbParameter : OpRewritePattern<EltwiseOp> {
  using OpRewritePattern::OpRewritePattern;

  /// One number, or a row of them along one dimension: what a normalisation
  /// reads at no cost.
  static bool isRow(Value value) {
    return constantOf(value) && isF32(value) &&
           llvm::count_if(shapeOf(value),
                          [](int64_t extent) { return extent != 1; }) <= 1;
  }

  LogicalResult matchAndRewrite(EltwiseOp op,
                                PatternRewriter &rewriter) const override {
    bool isScale = isKind(op, NPU_INSTR_mul);
    if (!isScale && !isKind(op, NPU_INSTR_add))
      return rewriter.notifyMatchFailure(op, "neither sum nor product");
    auto norm = op.getInputs()[0].getDefiningOp<TensornormOp>();
    Value row = op.getInputs()[1];
    if (!norm || !norm->hasOneUse() || !isRow(row) ||
        op.getResult().getType() != norm.getResult().getType() ||
        !isRow(norm.getScale()) || (norm.getBias() && !isRow(norm.getBias())))
      return rewriter.notifyMatchFailure(op, "no parameters of one dimension");
    FailureOr<Value> scale = norm.getScale(), bias = norm.getBias();
    if (isScale)
      scale = makeEltwise(rewriter, op.getLoc(), NPU_INSTR_mul, {*scale, row});
    if (!*bias)
      bias = isScale ? Value() : row;
    else
      bias = makeEltwise(rewriter, op.getLoc(),
                         isScale ? NPU_INSTR_mul : NPU_INSTR_add, {*bias, row});
    if (failed(scale) || failed(bias))
      return failure();
    rewriter.replaceOpWithNewOp<TensornormOp>(
        op, op.getResult().getType(), norm.getInput(), *scale, *bias,
        norm.getAxesAttr(), norm.getEpsilonAttr(), norm.getGroupsAttr(),
        norm.getCenteredAttr());
    return success();
  }
};

struct MatchNormsPass : npu::impl::MatchNormsBase<MatchNormsPass> {
  void runOnOperation() override {
    if (failed(matchNorms(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult npu::matchNorms(Operation *root) {
  if (!hasAny<ReduceOp, AvgPoolOp, TensornormOp>(root))
    return success();
  mlir::RewritePatternSet patterns(root->getContext());
  patterns.add<MatchNorm, MatchSpreadNorm, AbsorbParameter>(root->getContext());
  addGroupNormPatterns(patterns);
  return apply(root, std::move(patterns));
}
