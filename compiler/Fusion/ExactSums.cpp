// SPDX-License-Identifier: Apache-2.0
//
// Sums of products of bytes less what a zero point that depends on data adds to
// them. In f32 the kernel of the product subtracts that as it stores; in i32 it
// would be a kernel of its own that reads the sums from memory.
#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Fusion/Rewrites.h"

#include <cmath>
#include <optional>

using namespace npu;
using namespace npu::rewrites;
using mlir::OpRewritePattern;
using mlir::PatternRewriter;

/// Whole numbers up to this are f32 numbers.
static constexpr double largestExact = 1 << 24;

/// An expression deeper than this is none that a quantizer writes.
static constexpr int deepest = 8;

static double largestOf(ElementsAttr constant) {
  double largest = 0;
  for (int64_t number : elementInts(constant))
    largest = std::max(largest, std::fabs(static_cast<double>(number)));
  return largest;
}

/// The largest sum of magnitudes of a column, of all matrices of a constant.
static double largestColumn(ElementsAttr constant) {
  ArrayRef<int64_t> shape = constant.getShapedType().getShape();
  size_t columns = shape.back(), rows = shape[shape.size() - 2];
  SmallVector<int64_t> numbers = elementInts(constant);
  double largest = 0;
  std::vector<double> sums(columns);
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (i / columns % rows == 0 && i % columns == 0)
      std::fill(sums.begin(), sums.end(), 0);
    double &sum = sums[i % columns];
    sum += std::fabs(static_cast<double>(numbers[i]));
    largest = std::max(largest, sum);
  }
  return largest;
}

/// No integer of `value` is larger in magnitude; nothing where that is unknown.
static std::optional<double> magnitudeOf(Value value, int depth = deepest) {
  auto type = dyn_cast<mlir::IntegerType>(tensorType(value).getElementType());
  if (!type || depth == 0)
    return std::nullopt;
  if (ElementsAttr known = constantOf(value))
    return largestOf(known);
  if (type.getWidth() <= 16)
    return std::exp2(type.getWidth()) - 1;
  if (auto product = value.getDefiningOp<MatmulOp>()) {
    std::optional<double> a = magnitudeOf(product.getA(), depth - 1);
    ElementsAttr weights = constantOf(product.getB());
    if (!a || !weights || weights.getNumElements() == 0)
      return std::nullopt;
    return *a * largestColumn(weights);
  }
  auto step = value.getDefiningOp<EltwiseOp>();
  if (isKind(step, NPU_INSTR_cast))
    return magnitudeOf(step.getInputs()[0], depth - 1);
  if (!isKind(step, NPU_INSTR_mul))
    return std::nullopt;
  std::optional<double> a = magnitudeOf(step.getInputs()[0], depth - 1);
  std::optional<double> b = magnitudeOf(step.getInputs()[1], depth - 1);
  return a && b ? std::optional(*a * *b) : std::nullopt;
}

static bool isExact(Value value) {
  std::optional<double> magnitude = magnitudeOf(value);
  return magnitude && *magnitude <= largestExact;
}

namespace {

// Pattern: cast(sub(product, X)) -> sub(cast(product), cast(X)), all of them
// f32 numbers: the difference is rounded once either way.
struct SubtractInFloats : OpRewritePattern<EltwiseOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EltwiseOp op,
                                PatternRewriter &rewriter) const override {
    EltwiseOp difference = isKind(op, NPU_INSTR_cast)
                               ? definedBy(op.getInputs()[0], NPU_INSTR_sub)
                               : EltwiseOp();
    if (!difference || !difference->hasOneUse() ||
        !tensorType(op.getResult()).getElementType().isF32())
      return rewriter.notifyMatchFailure(op, "no difference as floats");
    auto product = difference.getInputs()[0].getDefiningOp<MatmulOp>();
    if (!product || !product->hasOneUse() || !isExact(product.getResult()) ||
        !isExact(difference.getInputs()[1]))
      return rewriter.notifyMatchFailure(op, "not of exact sums");
    SmallVector<Value> terms;
    for (Value term : difference.getInputs()) {
      auto type = tensorType(term).clone(rewriter.getF32Type());
      terms.push_back(EltwiseOp::create(rewriter, op.getLoc(), type,
                                        op.getKindAttr(), ValueRange{term},
                                        op.getAlphaAttr(), op.getBetaAttr()));
    }
    rewriter.replaceOpWithNewOp<EltwiseOp>(
        op, op.getResult().getType(), difference.getKindAttr(), terms,
        difference.getAlphaAttr(), difference.getBetaAttr());
    return success();
  }
};

} // namespace

void rewrites::addExactSumPatterns(mlir::RewritePatternSet &patterns) {
  patterns.add<SubtractInFloats>(patterns.getContext());
}
