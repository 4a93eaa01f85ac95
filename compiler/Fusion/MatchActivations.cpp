// SPDX-License-Identifier: Apache-2.0
//
// npu-match-activations: activations that the model spells out as arithmetic.
// Each pattern puts one elementwise function in the place of its last op, so
// the number of plain sums, products and bounds falls and the pass ends.
#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Fusion/Rewrites.h"
#include "kernels/support/convert.h"

#include <array>
#include <cfloat>
#include <cmath>

using namespace npu;
using namespace npu::rewrites;
using mlir::OpRewritePattern;
using mlir::PatternRewriter;

namespace npu {
#define GEN_PASS_DEF_MATCHACTIVATIONS
#include "compiler/Fusion/Passes.h.inc"
} // namespace npu

namespace {

/// scale * input + offset, with one number each.
struct ScalarAffine {
  Value input;
  float scale = 1;
  float offset = 0;
};

} // namespace

/// A constant that a model had to round: 1/6, 1/sqrt(2); perhaps to f16, it or
/// its reciprocal.
static bool isAbout(float value, float wanted) {
  auto isNear = [](float number, float exact) {
    return std::fabs(number - exact) <= 1e-6f * std::fabs(exact);
  };
  auto asHalf = [](float number) {
    return kernels::halfToFloat(kernels::floatToHalf(number));
  };
  return isNear(value, wanted) || isNear(value, asHalf(wanted)) ||
         isNear(1 / value, asHalf(1 / wanted));
}

/// Operand 0 where operand 1 is one number, or the other way round for a
/// commutative function; null otherwise.
static Value besideScalar(EltwiseOp op, float &number) {
  for (unsigned index : {1u, 0u}) {
    std::optional<float> scalar = scalarOf(op.getInputs()[index]);
    Value other = op.getInputs()[1 - index];
    if (!scalar || other.getType() != op.getResult().getType())
      continue;
    number = *scalar;
    return other;
  }
  return {};
}

/// One step of that: false where the op is another one.
static bool readBackwards(ScalarAffine &affine) {
  auto op = affine.input.getDefiningOp<EltwiseOp>();
  if (isKind(op, NPU_INSTR_neg)) {
    affine.scale = -affine.scale;
    affine.input = op.getInputs()[0];
    return true;
  }
  bool isAdd = isKind(op, NPU_INSTR_add), isSub = isKind(op, NPU_INSTR_sub);
  if (!isAdd && !isSub && !isKind(op, NPU_INSTR_mul))
    return false;
  float number = 0;
  Value input = besideScalar(op, number);
  // Constants behind a minus are sums by now (npu-simplify).
  if (!input || (isSub && input == op.getInputs()[0]))
    return false;
  if (isAdd || isSub)
    affine.offset += affine.scale * number;
  affine.scale *= isAdd ? 1 : isSub ? -1 : number;
  affine.input = input;
  return true;
}

/// Reads `value` backwards through sums and products with single numbers, up
/// to `stop`; without one, up to a value that something else reads too.
static ScalarAffine affineOf(Value value, Value stop = {}) {
  ScalarAffine affine{value};
  while (affine.input != stop && (stop || affine.input.hasOneUse()))
    if (!readBackwards(affine))
      break;
  return affine;
}

/// Coefficients of 1, X, X^2, X^3.
using Cubic = std::array<double, 4>;

/// `value` as a polynomial of `x`; nothing if it is none, of a higher degree,
/// or deeper than anybody writes one.
static std::optional<Cubic> cubicOf(Value value, Value x, int depth = 8) {
  if (value == x)
    return Cubic{0, 1, 0, 0};
  if (std::optional<float> number = scalarOf(value))
    return Cubic{*number, 0, 0, 0};
  auto op = value.getDefiningOp<EltwiseOp>();
  bool isProduct = isKind(op, NPU_INSTR_mul), isSum = isKind(op, NPU_INSTR_add);
  if (!(isProduct || isSum || isKind(op, NPU_INSTR_sub)) || depth == 0 ||
      value.getType() != x.getType())
    return std::nullopt;
  std::optional<Cubic> a = cubicOf(op.getInputs()[0], x, depth - 1);
  std::optional<Cubic> b = cubicOf(op.getInputs()[1], x, depth - 1);
  if (!a || !b)
    return std::nullopt;
  Cubic result{};
  for (size_t i = 0; i < a->size(); ++i) {
    if (!isProduct)
      result[i] = (*a)[i] + (isSum ? (*b)[i] : -(*b)[i]);
    for (size_t j = 0; isProduct && j < b->size(); ++j) {
      double part = (*a)[i] * (*b)[j];
      if (part != 0 && i + j >= result.size())
        return std::nullopt;
      if (part != 0)
        result[i + j] += part;
    }
  }
  return result;
}

/// clip(X, 0, high) with high > 0, or null.
static EltwiseOp unitClip(Value value, float &high) {
  EltwiseOp clip = definedBy(value, NPU_INSTR_clip);
  if (!clip || clip.getAlpha().convertToFloat() != 0)
    return {};
  high = clip.getBeta().convertToFloat();
  return high > 0 && std::isfinite(high) ? clip : EltwiseOp();
}

/// Puts factor * kind(input) in the place of `op`.
static LogicalResult replace(PatternRewriter &rewriter, EltwiseOp op,
                             npu_instr_kind kind, Value input, float alpha = 0,
                             float beta = 0, float factor = 1) {
  Location location = op.getLoc();
  FailureOr<Value> result =
      makeEltwise(rewriter, location, kind, {input}, alpha, beta);
  if (succeeded(result) && !isAbout(factor, 1))
    result =
        makeEltwise(rewriter, location, NPU_INSTR_mul,
                    {*result, makeFloats(rewriter, location, {}, {factor})});
  if (failed(result))
    return failure();
  rewriter.replaceOp(op, *result);
  return success();
}

namespace {

// Pattern: min(max(X, low), high) -> clip(X, low, high), either way round
// Pattern: min(relu(X), high) -> clip(X, 0, high)
struct MatchClip : OpRewritePattern<EltwiseOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EltwiseOp op,
                                PatternRewriter &rewriter) const override {
    bool isMin = isKind(op, NPU_INSTR_min);
    if (!isMin && !isKind(op, NPU_INSTR_max))
      return rewriter.notifyMatchFailure(op, "no bound");
    float outer = 0, inner = 0;
    Value bounded = besideScalar(op, outer);
    if (!bounded)
      return rewriter.notifyMatchFailure(op, "not bounded by one number");
    Value input;
    EltwiseOp relu = definedBy(bounded, NPU_INSTR_relu);
    EltwiseOp other = definedBy(bounded, isMin ? NPU_INSTR_max : NPU_INSTR_min);
    if (isMin && relu)
      input = relu.getInputs()[0];
    else if (other)
      input = besideScalar(other, inner);
    float low = isMin ? inner : outer, high = isMin ? outer : inner;
    if (!input || !(low <= high))
      return rewriter.notifyMatchFailure(op, "no range");
    return replace(rewriter, op, NPU_INSTR_clip, input, low, high);
  }
};

// Pattern: max(X, 0) -> relu(X)
// Pattern: clip(X, 0, infinity) -> relu(X)
struct MatchRelu : OpRewritePattern<EltwiseOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EltwiseOp op,
                                PatternRewriter &rewriter) const override {
    if (isKind(op, NPU_INSTR_clip) && op.getAlpha().convertToFloat() == 0 &&
        op.getBeta().convertToFloat() >= FLT_MAX)
      return replace(rewriter, op, NPU_INSTR_relu, op.getInputs()[0]);
    float number = 0;
    Value input =
        isKind(op, NPU_INSTR_max) ? besideScalar(op, number) : Value();
    if (!input || number != 0)
      return rewriter.notifyMatchFailure(op, "not bounded by zero");
    return replace(rewriter, op, NPU_INSTR_relu, input);
  }
};

// Pattern: clip(a * X + b, 0, 1) -> hard_sigmoid(X, a, b)
// Pattern: clip(a * X + b, 0, h) * (1 / h) -> hard_sigmoid(X, a / h, b / h)
struct MatchHardSigmoid : OpRewritePattern<EltwiseOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EltwiseOp op,
                                PatternRewriter &rewriter) const override {
    float high = 0, factor = 1;
    Value clipped = op.getResult();
    if (isKind(op, NPU_INSTR_mul))
      clipped = besideScalar(op, factor);
    EltwiseOp clip = clipped ? unitClip(clipped, high) : EltwiseOp();
    if (!clip || !isAbout(factor * high, 1))
      return rewriter.notifyMatchFailure(op, "not clipped to the unit range");
    ScalarAffine affine = affineOf(clip.getInputs()[0]);
    if (clip == op && affine.input == clip.getInputs()[0])
      return rewriter.notifyMatchFailure(op, "a plain clip");
    return replace(rewriter, op, NPU_INSTR_hard_sigmoid, affine.input,
                   affine.scale / high, affine.offset / high);
  }
};

/// A product of values of one shape and a number.
struct Product {
  SmallVector<Value, 3> factors;
  float number = 1;

  /// Splits products that only this one reads.
  void add(Value value, bool isWhole) {
    EltwiseOp op = definedBy(value, NPU_INSTR_mul);
    if (!op || (!isWhole && !op->hasOneUse()) || factors.size() > 3) {
      factors.push_back(value);
      return;
    }
    for (Value input : op.getInputs()) {
      if (std::optional<float> scalar = scalarOf(input))
        number *= *scalar;
      else
        add(input, false);
    }
  }
};

// Pattern: X * hard_sigmoid(X, a, b) * n -> hard_swish(X, a, b) * n
// Pattern: X * clip(a * X + b, 0, h) * n -> hard_swish(X, a / h, b / h) * (n h)
// Pattern: X * sigmoid(a * X) * n -> swish(X, a) * n
//          where the factors n and n h vanish if they are 1
// Pattern: X * (erf(X / sqrt(2)) + 1) * 0.5 -> gelu_erf(X)
// Pattern: X * (1 - erf(-X / sqrt(2))) * 0.5 -> gelu_erf(X)
// Pattern: X * (tanh(sqrt(2 / pi) * (X + 0.044715 * X^3)) + 1) * 0.5 ->
//          gelu_tanh(X), however the polynomial is written
struct MatchGated : OpRewritePattern<EltwiseOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EltwiseOp op,
                                PatternRewriter &rewriter) const override {
    if (!isKind(op, NPU_INSTR_mul))
      return rewriter.notifyMatchFailure(op, "no product");
    Product product;
    product.add(op.getResult(), true);
    if (product.factors.size() != 2)
      return rewriter.notifyMatchFailure(op, "not a product of two");
    for (unsigned index : {0u, 1u}) {
      Value input = product.factors[index], gate = product.factors[1 - index];
      if (input.getType() != op.getResult().getType())
        continue;
      if (succeeded(
              matchHardSwish(op, rewriter, input, gate, product.number)) ||
          succeeded(matchSwish(op, rewriter, input, gate, product.number)) ||
          succeeded(matchGelu(op, rewriter, input, gate, product.number)) ||
          succeeded(matchGeluByTanh(op, rewriter, input, gate, product.number)))
        return success();
    }
    return rewriter.notifyMatchFailure(op, "no gate");
  }

  static LogicalResult matchHardSwish(EltwiseOp op, PatternRewriter &rewriter,
                                      Value input, Value gate, float number) {
    if (EltwiseOp sigmoid = definedBy(gate, NPU_INSTR_hard_sigmoid)) {
      if (sigmoid.getInputs()[0] != input)
        return failure();
      return replace(rewriter, op, NPU_INSTR_hard_swish, input,
                     sigmoid.getAlpha().convertToFloat(),
                     sigmoid.getBeta().convertToFloat(), number);
    }
    float high = 0;
    EltwiseOp clip = unitClip(gate, high);
    if (!clip)
      return failure();
    ScalarAffine affine = affineOf(clip.getInputs()[0], input);
    if (affine.input != input)
      return failure();
    return replace(rewriter, op, NPU_INSTR_hard_swish, input,
                   affine.scale / high, affine.offset / high, number * high);
  }

  static LogicalResult matchSwish(EltwiseOp op, PatternRewriter &rewriter,
                                  Value input, Value gate, float number) {
    EltwiseOp sigmoid = definedBy(gate, NPU_INSTR_sigmoid);
    if (!sigmoid)
      return failure();
    ScalarAffine affine = affineOf(sigmoid.getInputs()[0], input);
    if (affine.input != input || affine.offset != 0)
      return failure();
    return replace(rewriter, op, NPU_INSTR_swish, input, affine.scale, 0,
                   number);
  }

  static LogicalResult matchGelu(EltwiseOp op, PatternRewriter &rewriter,
                                 Value input, Value gate, float number) {
    ScalarAffine outer = affineOf(gate);
    EltwiseOp erf = definedBy(outer.input, NPU_INSTR_erf);
    if (!erf)
      return failure();
    // input / 2 * (erf(..) + 1), the half on either side; or 1 - erf(-..)
    ScalarAffine inner = affineOf(erf.getInputs()[0], input);
    float sign = inner.scale < 0 ? -1.0f : 1.0f;
    if (!isAbout(outer.scale * number * sign, 0.5f) ||
        !isAbout(outer.offset * number, 0.5f) || inner.input != input ||
        inner.offset != 0 || !isAbout(inner.scale * sign, 0.70710678f))
      return failure();
    return replace(rewriter, op, NPU_INSTR_gelu_erf, input);
  }

  static LogicalResult matchGeluByTanh(EltwiseOp op, PatternRewriter &rewriter,
                                       Value input, Value gate, float number) {
    ScalarAffine outer = affineOf(gate);
    EltwiseOp tanh = definedBy(outer.input, NPU_INSTR_tanh);
    if (!tanh || !isAbout(outer.scale * number, 0.5f) ||
        !isAbout(outer.offset * number, 0.5f))
      return failure();
    std::optional<Cubic> inner = cubicOf(tanh.getInputs()[0], input);
    constexpr float root = 0.79788456f; // of 2 / pi
    if (!inner || (*inner)[0] != 0 || (*inner)[2] != 0 ||
        !isAbout(static_cast<float>((*inner)[1]), root) ||
        !isAbout(static_cast<float>((*inner)[3] / (*inner)[1]), 0.044715f))
      return failure();
    return replace(rewriter, op, NPU_INSTR_gelu_tanh, input);
  }
};

struct MatchActivationsPass
    : npu::impl::MatchActivationsBase<MatchActivationsPass> {
  void runOnOperation() override {
    if (failed(matchActivations(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult npu::matchActivations(Operation *root) {
  mlir::RewritePatternSet patterns(root->getContext());
  patterns.add<MatchRelu, MatchHardSigmoid, MatchGated>(root->getContext());
  // Before max(min(X, high), 0) becomes relu(min(X, high)).
  patterns.add<MatchClip>(root->getContext(), /*benefit=*/2);
  return apply(root, std::move(patterns));
}
