// SPDX-License-Identifier: Apache-2.0
//
// Patterns of npu-simplify on broadcasts: what follows works on the numbers
// that are repeated, and not on their repetitions. Elementwise ops repeat small
// operands themselves.
#include "compiler/Fusion/Rewrites.h"

#include "compiler/Dialect/NPU/ShapeInference.h"

using namespace npu;
using namespace npu::rewrites;
using mlir::OpRewritePattern;
using mlir::PatternRewriter;

/// Replaces `op` by itself on these operands, with a smaller result that is
/// repeated where the shapes differ.
static Operation *rebuildBefore(PatternRewriter &rewriter, Operation *op,
                                ValueRange operands, ArrayRef<int64_t> shape) {
  RankedTensorType type = tensorType(op->getResult(0));
  Operation *small =
      cloneWith(rewriter, op->getLoc(), op, operands,
                RankedTensorType::get(shape, type.getElementType()));
  if (shape == type.getShape())
    rewriter.replaceOp(op, small);
  else
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, type, small->getResult(0));
  return small;
}

namespace {

// Pattern: f(broadcast(X), Y) -> f(X, Y), repeated if that is smaller
struct ElementwiseOfBroadcast : mlir::RewritePattern {
  explicit ElementwiseOfBroadcast(mlir::MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isElementwise(op))
      return rewriter.notifyMatchFailure(op, "not elementwise");
    SmallVector<Value> operands(op->getOperands());
    std::vector<shapes::Shape> parts;
    for (Value &operand : operands) {
      if (auto broadcast = operand.getDefiningOp<BroadcastOp>())
        operand = broadcast.getInput();
      parts.emplace_back(shapeOf(operand));
    }
    if (llvm::equal(operands, op->getOperands()))
      return rewriter.notifyMatchFailure(op, "no operand is a broadcast");
    std::string error;
    FailureOr<shapes::Shape> shape = shapes::broadcast(parts, error);
    if (failed(shape))
      return rewriter.notifyMatchFailure(op, error);
    rebuildBefore(rewriter, op, operands, *shape);
    return success();
  }
};

// Pattern: reduce(broadcast(X)) -> broadcast(reduce(X)) over dimensions that
//          are not repeated
struct ReduceOfBroadcast : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    auto broadcast = op.getInput().getDefiningOp<BroadcastOp>();
    if (!broadcast)
      return rewriter.notifyMatchFailure(op, "no broadcast");
    ArrayRef<int64_t> in = shapeOf(broadcast.getInput()),
                      out = shapeOf(op.getInput());
    const auto ahead = static_cast<int64_t>(out.size() - in.size());
    SmallVector<int64_t> axes;
    for (int64_t axis : toInts(op.getAxes())) {
      if (axis < ahead || in[axis - ahead] != out[axis])
        return rewriter.notifyMatchFailure(op, "reduces what is repeated");
      axes.push_back(axis - ahead);
    }
    std::string error;
    FailureOr<shapes::Shape> shape =
        shapes::reduce(in, axes, op.getKeepDims(), error);
    if (failed(shape))
      return rewriter.notifyMatchFailure(op, error);
    Operation *small =
        rebuildBefore(rewriter, op, broadcast.getInput(), *shape);
    cast<ReduceOp>(small).setAxesAttr(rewriter.getI64ArrayAttr(axes));
    return success();
  }
};

} // namespace

void rewrites::addBroadcastPatterns(mlir::RewritePatternSet &patterns) {
  patterns.add<ElementwiseOfBroadcast, ReduceOfBroadcast>(
      patterns.getContext());
}
