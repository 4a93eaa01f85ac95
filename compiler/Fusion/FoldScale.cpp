// SPDX-License-Identifier: Apache-2.0
//
// npu-fold-scale: per-channel affine steps go into weights and bias. Each
// rewrite removes an elementwise op or a bias that is 0, so the pass ends.
#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ScaledNumbers.h"
#include "compiler/Fusion/ChannelAffine.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Fusion/Rewrites.h"
#include "compiler/Fusion/WeightedKernel.h"

#include <cmath>

using namespace npu;
using namespace npu::rewrites;
using mlir::OpRewritePattern;
using mlir::PatternRewriter;

namespace npu {
#define GEN_PASS_DEF_FOLDSCALE
#include "compiler/Fusion/Passes.h.inc"
} // namespace npu

/// Multiplies every slice of `weight` along `channel` by its number. Numbers
/// that are a narrower type's times scales stay such: the scales are
/// multiplied.
static Value scaledWeight(OpBuilder &builder, Location location, Value weight,
                          int64_t channel, Floats scale) {
  Floats values = *floatsOf(weight);
  ArrayRef<int64_t> shape = shapeOf(weight);
  auto narrow = findScaledNumbers(values, shape);
  if (narrow && narrow->dim == channel) {
    values = std::move(narrow->numbers);
    for (size_t c = 0; c < narrow->scales.size(); ++c)
      narrow->scales[c] *= scale[c % scale.size()];
    scale = std::move(narrow->scales);
  }
  size_t inner = innerCount(shape, channel);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] *= scale[i / inner % scale.size()];
  return makeFloats(builder, location, shape, values);
}

/// scale * bias + offset; an empty `bias` is 0.
static Value foldedBias(OpBuilder &builder, Location location, Floats bias,
                        const ChannelAffine &step) {
  bias.resize(std::max(step.scale.size(), step.offset.size()));
  for (size_t c = 0; c < bias.size(); ++c)
    bias[c] = bias[c] * (step.scale.empty() ? 1.0f : step.scale[c]) +
              (step.offset.empty() ? 0.0f : step.offset[c]);
  return makeFloats(builder, location, {static_cast<int64_t>(bias.size())},
                    bias);
}

namespace {

// Pattern: add(conv(X, W, b), t) -> conv(X, W, b + t)
// Pattern: mul(conv(X, W, b), s) -> conv(X, s * W, s * b)
// Pattern: mul(matmul(X, W), s) -> matmul(X, W * s)
struct FoldAffine : OpRewritePattern<EltwiseOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EltwiseOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getInputs().size() != 2)
      return rewriter.notifyMatchFailure(op, "not a step with a constant");
    for (unsigned variable : {0u, 1u}) {
      Operation *producer = op.getInputs()[variable].getDefiningOp();
      std::optional<WeightedKernel> kernel = weightedKernel(producer);
      if (!kernel || !producer->hasOneUse() || !isF32(op.getResult()))
        continue;
      std::optional<ChannelAffine> step =
          affineStep(op, kernel->resultChannel, variable);
      if (step && canFold(*kernel, producer, *step))
        return fold(rewriter, op, producer, *kernel, *step);
    }
    return rewriter.notifyMatchFailure(op, "no affine step behind weights");
  }

  static bool canFold(const WeightedKernel &kernel, Operation *producer,
                      const ChannelAffine &step) {
    if (!step.scale.empty() &&
        !canScale(producer->getOperand(1), kernel.weightChannel, step.scale))
      return false;
    if (!kernel.takesBias)
      return step.offset.empty();
    if (!llvm::all_of(step.offset, isModestOffset))
      return false;
    if (producer->getNumOperands() < 3)
      return true;
    std::optional<Floats> bias = floatsOf(producer->getOperand(2));
    return bias && llvm::all_of(*bias, isModestOffset);
  }

  /// Not where a product may overflow, or where those of a channel are so small
  /// that they lose bits; weights of dead channels are tiny before.
  static bool canScale(Value weight, int64_t channel, const Floats &scale) {
    std::optional<Floats> values = floatsOf(weight);
    if (!values || !llvm::all_of(scale, isModestWeight) ||
        !llvm::all_of(*values, isModestWeight))
      return false;
    Floats largest(scale.size());
    size_t inner = innerCount(shapeOf(weight), channel);
    for (size_t i = 0; i < values->size(); ++i) {
      float &most = largest[i / inner % scale.size()];
      most = std::max(most, std::fabs((*values)[i]));
    }
    return llvm::all_of(llvm::zip(largest, scale), [](auto both) {
      auto [weight, factor] = both;
      constexpr float dead = 0x1p-100f, least = 0x1p-120f;
      return weight < dead || factor == 0 ||
             weight * std::fabs(factor) >= least;
    });
  }

  static LogicalResult fold(PatternRewriter &rewriter, EltwiseOp op,
                            Operation *producer, const WeightedKernel &kernel,
                            const ChannelAffine &step) {
    SmallVector<Value> operands(producer->getOperands());
    Location location = operands[1].getLoc();
    if (!step.scale.empty())
      operands[1] = scaledWeight(rewriter, location, operands[1],
                                 kernel.weightChannel, step.scale);
    bool hasBias = operands.size() > 2;
    if (hasBias || !step.offset.empty()) {
      Floats bias = hasBias ? *floatsOf(operands[2]) : Floats();
      operands.resize(3);
      operands[2] = foldedBias(rewriter, location, std::move(bias), step);
    }
    Operation *folded = cloneWith(rewriter, fuseLocations({producer, op}),
                                  producer, operands, op.getResult().getType());
    rewriter.replaceOp(op, folded);
    rewriter.eraseOp(producer);
    return success();
  }
};

/// Whether every number of a constant is 0, of either sign.
bool isZero(Value value) {
  ElementsAttr elements = constantOf(value);
  if (!elements)
    return false;
  if (std::optional<Floats> floats = floatsOf(value))
    return llvm::all_of(*floats, [](float number) { return number == 0; });
  std::vector<char> storage;
  return isa<mlir::IntegerType>(tensorType(value).getElementType()) &&
         llvm::all_of(elementBytes(elements, storage),
                      [](char byte) { return byte == 0; });
}

// Pattern: conv(X, W, 0) -> conv(X, W)
struct DropZeroBias : mlir::OpInterfaceRewritePattern<KernelOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(KernelOpInterface op,
                                PatternRewriter &rewriter) const override {
    std::optional<WeightedKernel> kernel = weightedKernel(op);
    if (!kernel || !kernel->takesBias || op->getNumOperands() != 3 ||
        !isZero(op->getOperand(2)))
      return rewriter.notifyMatchFailure(op, "no bias, or one of numbers");
    rewriter.modifyOpInPlace(op, [&] { op->eraseOperand(2); });
    return success();
  }
};

// Pattern: add(product, 0) -> product, whose sums begin with 0
struct DropZeroOffset : OpRewritePattern<EltwiseOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EltwiseOp op,
                                PatternRewriter &rewriter) const override {
    if (!isKind(op, NPU_INSTR_add))
      return rewriter.notifyMatchFailure(op, "no sum");
    for (unsigned i : {0U, 1U}) {
      Value product = op.getInputs()[i];
      if (product.getType() != op.getResult().getType() ||
          !weightedKernel(product.getDefiningOp()) ||
          !isZero(op.getInputs()[1 - i]))
        continue;
      rewriter.replaceOp(op, product);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no product and zeros");
  }
};

struct FoldScalePass : npu::impl::FoldScaleBase<FoldScalePass> {
  void runOnOperation() override {
    if (failed(foldScale(getOperation())))
      signalPassFailure();
  }
};

} // namespace

void npu::rewrites::addScalePatterns(mlir::RewritePatternSet &patterns) {
  patterns.add<FoldAffine, DropZeroBias, DropZeroOffset>(patterns.getContext());
}

LogicalResult npu::foldScale(Operation *root) {
  mlir::RewritePatternSet patterns(root->getContext());
  addScalePatterns(patterns);
  return apply(root, std::move(patterns));
}
