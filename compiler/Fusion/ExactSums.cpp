// SPDX-License-Identifier: Apache-2.0
//
// Sums of products of bytes less what a zero point that depends on data adds to
// them. In f32 the kernel of the product subtracts that as it stores; in i32 it
// would be a kernel of its own that reads the sums from memory.
#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Fusion/FusionTraits.h"
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

/// By constant, and whether a convolution reads it. A network that is written
/// out step by step asks for each weight at every step, and the patterns run
/// several times.
using LargestSums = llvm::DenseMap<std::pair<Attribute, int>, double>;

static std::optional<double> magnitudeOf(LargestSums &sums, Value value,
                                         int depth);

/// Of a kernel's sums of products of its first two operands, and a bias.
static std::optional<double>
magnitudeOfSums(LargestSums &sums, KernelOpInterface kernel, int depth) {
  npu_attrs ignored = {};
  const bool isConv = kernel.getKernel(ignored) == NPU_OP_CONV;
  std::optional<double> a = magnitudeOf(sums, kernel->getOperand(0), depth);
  ElementsAttr weights = constantOf(kernel->getOperand(1));
  if (!a || !weights || weights.getNumElements() == 0)
    return std::nullopt;
  const int64_t rank = weights.getShapedType().getRank();
  auto [known, isNew] = sums.try_emplace({weights, isConv});
  if (isNew)
    known->second = largestMagnitudeSum(
        weights, [&](int64_t d) { return isConv ? d > 0 : d == rank - 2; });
  double sum = *a * known->second;
  for (Value bias : kernel->getOperands().drop_front(2)) {
    std::optional<double> most = magnitudeOf(sums, bias, depth);
    if (!most)
      return std::nullopt;
    sum += *most;
  }
  return sum;
}

/// No integer of `value` is larger in magnitude; nothing where that is unknown.
static std::optional<double> magnitudeOf(LargestSums &sums, Value value,
                                         int depth) {
  auto type = dyn_cast<mlir::IntegerType>(tensorType(value).getElementType());
  if (!type || depth == 0)
    return std::nullopt;
  if (ElementsAttr known = constantOf(value))
    return largestOf(known);
  if (type.getWidth() <= 16)
    return std::exp2(type.getWidth()) - 1;
  auto kernel = value.getDefiningOp<KernelOpInterface>();
  if (kernel && fusionTraitsOf(kernel).sumsWider)
    return magnitudeOfSums(sums, kernel, depth - 1);
  auto step = value.getDefiningOp<EltwiseOp>();
  if (isKind(step, NPU_INSTR_cast))
    return magnitudeOf(sums, step.getInputs()[0], depth - 1);
  if (!isKind(step, NPU_INSTR_mul))
    return std::nullopt;
  std::optional<double> a = magnitudeOf(sums, step.getInputs()[0], depth - 1);
  std::optional<double> b = magnitudeOf(sums, step.getInputs()[1], depth - 1);
  return a && b ? std::optional(*a * *b) : std::nullopt;
}

static bool isExact(LargestSums &sums, Value value) {
  std::optional<double> magnitude = magnitudeOf(sums, value, deepest);
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
    if (!difference || !difference->hasOneUse() || !isF32(op.getResult()))
      return rewriter.notifyMatchFailure(op, "no difference as floats");
    auto product = difference.getInputs()[0].getDefiningOp<KernelOpInterface>();
    if (!product || !fusionTraitsOf(product).sumsWider ||
        !product->hasOneUse() || !isExact(sums, product->getResult(0)) ||
        !isExact(sums, difference.getInputs()[1]))
      return rewriter.notifyMatchFailure(op, "not of exact sums");
    SmallVector<Value> terms;
    for (Value term : difference.getInputs()) {
      FailureOr<Value> real =
          cloneFolded(rewriter, op.getLoc(), op, term,
                      tensorType(term).clone(rewriter.getF32Type()));
      if (failed(real))
        return failure();
      terms.push_back(*real);
    }
    rewriter.replaceOpWithNewOp<EltwiseOp>(
        op, op.getResult().getType(), difference.getKindAttr(), terms,
        difference.getAlphaAttr(), difference.getBetaAttr());
    return success();
  }

private:
  mutable LargestSums sums;
};

} // namespace

void rewrites::addExactSumPatterns(mlir::RewritePatternSet &patterns) {
  patterns.add<SubtractInFloats>(patterns.getContext());
}
