// SPDX-License-Identifier: Apache-2.0
//
// npu-sink-transposes: logical transposes move towards the results.
//
// It ends: a rewrite needs a transpose on every operand of the result's full
// extent and leaves none there, so an op is rewritten again only after one of
// its producers has been; no op is its own producer. The transposes that it
// puts on smaller operands never satisfy that condition.
#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Fusion/FusionTraits.h"
#include "compiler/Fusion/HasAny.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Fusion/Rewrites.h"
#include "compiler/Fusion/WeightedKernel.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace npu;
using namespace npu::rewrites;
using mlir::PatternRewriter;
using Permutation = SmallVector<int64_t>;

namespace npu {
#define GEN_PASS_DEF_SINKTRANSPOSES
#include "compiler/Fusion/Passes.h.inc"
} // namespace npu

/// The one permutation that all these values are transposed by.
static std::optional<Permutation> commonPermutation(ValueRange values) {
  std::optional<Permutation> common;
  for (Value value : values) {
    auto transpose = value.getDefiningOp<TransposeOp>();
    if (!transpose)
      return std::nullopt;
    Permutation permutation = toInts(transpose.getPermutation());
    if (common && *common != permutation)
      return std::nullopt;
    common = permutation;
  }
  return common;
}

/// A smaller operand as the op reads it after its result's dimensions have been
/// renamed back: unit dimensions in front, the inverse permutation, and the
/// unit dimensions in front away again.
static FailureOr<Value> renamedOperand(OpBuilder &builder, Location location,
                                       Value operand,
                                       ArrayRef<int64_t> permutation) {
  ArrayRef<int64_t> shape = shapeOf(operand);
  if (tensorType(operand).getNumElements() == 1)
    return operand;
  SmallVector<int64_t> full(permutation.size() - shape.size(), 1);
  llvm::append_range(full, shape);
  FailureOr<Value> renamed = makeReshape(builder, location, operand, full);
  if (succeeded(renamed))
    renamed = makeTranspose(builder, location, *renamed,
                            inversePermutation(permutation));
  if (failed(renamed) || !constantOf(*renamed))
    return renamed;
  ArrayRef<int64_t> outer = shapeOf(*renamed);
  return makeReshape(builder, location, *renamed,
                     outer.drop_while([](int64_t d) { return d == 1; }));
}

/// The shape before the transpose that leads to `shape`.
static SmallVector<int64_t> unpermuted(ArrayRef<int64_t> shape,
                                       ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> result(shape.size());
  for (auto [extent, dim] : llvm::zip(shape, permutation))
    result[dim] = extent;
  return result;
}

/// Replaces `op` by the transpose of the same op on `operands`, whose
/// attributes `adapt` has renamed.
static LogicalResult
rebuildAbove(PatternRewriter &rewriter, Operation *op, ValueRange operands,
             ArrayRef<int64_t> permutation,
             function_ref<void(Operation *)> adapt = nullptr) {
  auto type = tensorType(op->getResult(0));
  auto before = RankedTensorType::get(unpermuted(type.getShape(), permutation),
                                      type.getElementType());
  Operation *renamed = cloneWith(rewriter, op->getLoc(), op, operands, before);
  if (adapt)
    adapt(renamed);
  FailureOr<Value> result =
      makeTranspose(rewriter, op->getLoc(), renamed->getResult(0), permutation);
  if (failed(result))
    return failure();
  rewriter.replaceOp(op, *result);
  return success();
}

// Pattern: f(transpose(X), transpose(Y), small) ->
//          transpose(f(X, Y, renamed(small)))
static LogicalResult sinkBelowElementwise(Operation *op,
                                          PatternRewriter &rewriter) {
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  auto isFull = [&](Value v) { return shapeOf(v) == shape; };
  std::optional<Permutation> permutation = commonPermutation(
      llvm::to_vector(llvm::make_filter_range(op->getOperands(), [&](Value v) {
        return isFull(v) && !constantOf(v);
      })));
  if (!permutation)
    return rewriter.notifyMatchFailure(op, "no common transpose");
  SmallVector<Value> operands;
  for (Value input : op->getOperands()) {
    if (isFull(input) && !constantOf(input)) {
      operands.push_back(input.getDefiningOp<TransposeOp>().getInput());
      continue;
    }
    FailureOr<Value> renamed =
        renamedOperand(rewriter, op->getLoc(), input, *permutation);
    if (failed(renamed))
      return failure();
    operands.push_back(*renamed);
  }
  return rebuildAbove(rewriter, op, operands, *permutation);
}

// Pattern: concat(transpose(X), transpose(Y)) -> transpose(concat(X, Y))
static LogicalResult sinkBelow(ConcatOp op, PatternRewriter &rewriter) {
  std::optional<Permutation> permutation = commonPermutation(op.getInputs());
  if (!permutation)
    return rewriter.notifyMatchFailure(op, "no common transpose");
  SmallVector<Value> operands;
  for (Value input : op.getInputs())
    operands.push_back(input.getDefiningOp<TransposeOp>().getInput());
  int64_t axis = (*permutation)[op.getAxis()];
  return rebuildAbove(
      rewriter, op, operands, *permutation,
      [&](Operation *renamed) { cast<ConcatOp>(renamed).setAxis(axis); });
}

// Pattern: pad(transpose(X)) -> transpose(pad(X))
static LogicalResult sinkBelow(PadOp op, PatternRewriter &rewriter) {
  auto transpose = op.getInput().getDefiningOp<TransposeOp>();
  if (!transpose)
    return rewriter.notifyMatchFailure(op, "no transpose");
  Permutation permutation = toInts(transpose.getPermutation());
  SmallVector<int64_t> pads = toInts(op.getPads());
  size_t rank = permutation.size();
  SmallVector<int64_t> renamed =
      unpermuted(ArrayRef(pads).take_front(rank), permutation);
  llvm::append_range(renamed,
                     unpermuted(ArrayRef(pads).drop_front(rank), permutation));
  return rebuildAbove(
      rewriter, op, transpose.getInput(), permutation, [&](Operation *clone) {
        cast<PadOp>(clone).setPadsAttr(rewriter.getI64ArrayAttr(renamed));
      });
}

/// The permutation of the dimensions that a reduction leaves.
static Permutation remaining(ArrayRef<int64_t> permutation,
                             ArrayRef<int64_t> reduced) {
  Permutation result;
  for (int64_t dim : permutation)
    if (!llvm::is_contained(reduced, dim))
      result.push_back(dim - llvm::count_if(reduced, [&](int64_t gone) {
                         return gone < dim;
                       }));
  return result;
}

// Pattern: reduce(transpose(X)) -> transpose(reduce(X)), over fewer dimensions
//          if the reduced ones are dropped
static LogicalResult sinkBelow(ReduceOp op, PatternRewriter &rewriter) {
  auto transpose = op.getInput().getDefiningOp<TransposeOp>();
  if (!transpose)
    return rewriter.notifyMatchFailure(op, "no transpose");
  Permutation permutation = toInts(transpose.getPermutation());
  SmallVector<int64_t> axes;
  for (int64_t axis : toInts(op.getAxes()))
    axes.push_back(permutation[axis]);
  llvm::sort(axes);
  Permutation behind =
      op.getKeepDims() ? permutation : remaining(permutation, axes);
  return rebuildAbove(
      rewriter, op, transpose.getInput(), behind, [&](Operation *clone) {
        cast<ReduceOp>(clone).setAxesAttr(rewriter.getI64ArrayAttr(axes));
      });
}

/// The entries of an attribute that has one for each spatial dimension (or one
/// for each beginning, then each end), as the data has them before a transpose.
static ArrayAttr unpermutedEntries(Operation *op, StringRef name,
                                   ArrayRef<int64_t> spatial) {
  mlir::Builder builder(op->getContext());
  SmallVector<int64_t> entries = toInts(op->getAttrOfType<ArrayAttr>(name)),
                       renamed;
  for (ArrayRef<int64_t> rest = entries; !rest.empty();
       rest = rest.drop_front(spatial.size()))
    llvm::append_range(renamed,
                       unpermuted(rest.take_front(spatial.size()), spatial));
  return builder.getI64ArrayAttr(renamed);
}

// Pattern: conv(transpose(X), W) -> transpose(conv(X, transpose(W))), the same
//          of pooling, where only spatial dimensions move, W is constant and
//          the result is not larger than the data
static LogicalResult sinkBelowWindow(KernelOpInterface op,
                                     PatternRewriter &rewriter) {
  auto transpose = op->getOperand(0).getDefiningOp<TransposeOp>();
  if (!transpose)
    return rewriter.notifyMatchFailure(op, "no transpose");
  Permutation permutation = toInts(transpose.getPermutation()), spatial;
  std::optional<WeightedKernel> kernel = weightedKernel(op);
  const bool isConv = kernel && constantOf(op->getOperand(1));
  if ((!isConv && !op->hasAttr("kernel")) || permutation[0] != 0 ||
      permutation[1] != 1 ||
      tensorType(op->getResult(0)).getNumElements() >
          tensorType(transpose.getResult()).getNumElements())
    return rewriter.notifyMatchFailure(op, "more than space, or grows");
  for (int64_t dim : ArrayRef(permutation).drop_front(2))
    spatial.push_back(dim - 2);
  SmallVector<Value> operands(op->getOperands());
  operands[0] = transpose.getInput();
  if (isConv) {
    FailureOr<Value> weight =
        makeTranspose(rewriter, operands[1].getLoc(), operands[1],
                      inversePermutation(permutation));
    if (failed(weight))
      return failure();
    operands[1] = *weight;
  }
  return rebuildAbove(
      rewriter, op, operands, permutation, [&](Operation *clone) {
        for (StringRef name : {"kernel", "strides", "dilations", "pads"})
          if (clone->hasAttr(name))
            clone->setAttr(name, unpermutedEntries(clone, name, spatial));
      });
}

namespace {

struct SinkBelow : mlir::OpInterfaceRewritePattern<KernelOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(KernelOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (fusionTraitsOf(op).takesPads)
      return sinkBelowWindow(op, rewriter);
    if (!fusionTraitsOf(op).sinksTransposes)
      return rewriter.notifyMatchFailure(op, "transposes do not pass");
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](EltwiseOp known) {
          return sinkBelowElementwise(known, rewriter);
        })
        .Case<ConcatOp, PadOp, ReduceOp>(
            [&](auto known) { return sinkBelow(known, rewriter); });
  }
};

struct SinkBelowSteps : mlir::OpInterfaceRewritePattern<StepsOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(StepsOpInterface op,
                                PatternRewriter &rewriter) const override {
    return sinkBelowElementwise(op, rewriter);
  }
};

struct SinkTransposesPass : npu::impl::SinkTransposesBase<SinkTransposesPass> {
  void runOnOperation() override {
    if (failed(sinkTransposes(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult npu::sinkTransposes(Operation *root) {
  if (!hasAny<TransposeOp, ReshapeOp>(root))
    return success();
  mlir::RewritePatternSet patterns(root->getContext());
  addViewPatterns(patterns);
  patterns.add<SinkBelow, SinkBelowSteps>(root->getContext());
  return apply(root, std::move(patterns));
}
