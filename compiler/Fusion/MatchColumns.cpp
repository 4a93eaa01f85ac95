// SPDX-License-Identifier: Apache-2.0
//
// npu-match-columns: a product of the columns of an image is a convolution
// whose window is a column. Networks that read lines of text end so: what is
// left of the image's height goes into the channels, the width becomes time.
//
// It is exact: each result sums the same products. It makes no plan worse: only
// where the target has an image's channels innermost, so that columns lie apart
// and would be moved; the convolution's results lie as the product's do.
//
// It ends: each rewrite removes a product.
#include "compiler/Fusion/HasAny.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Fusion/PreferredLayouts.h"
#include "compiler/Fusion/Rewrites.h"
#include "compiler/Fusion/TargetOption.h"
#include "compiler/Fusion/WeightedKernel.h"

using namespace npu;
using namespace npu::rewrites;
using mlir::OpRewritePattern;
using mlir::PatternRewriter;

namespace npu {
#define GEN_PASS_DEF_MATCHCOLUMNS
#include "compiler/Fusion/Passes.h.inc"
} // namespace npu

namespace {

/// Rows of a product as an image: which of its dimensions of more than one
/// element are a row's elements, and which tell rows apart, in order.
struct Columns {
  Value image;
  SmallVector<int64_t> inside, outside;
};

} // namespace

/// Reads a = reshape(transpose(X)), X of two spatial dimensions, one of which
/// is whole in each row beside the channels.
static std::optional<Columns> columnsOf(Value a) {
  auto reshape = a.getDefiningOp<ReshapeOp>();
  auto transpose =
      reshape ? reshape.getInput().getDefiningOp<TransposeOp>() : nullptr;
  if (!transpose || tensorType(transpose.getInput()).getRank() != 4)
    return std::nullopt;
  auto parts = CommonParts::find(shapeOf(transpose.getResult()), shapeOf(a));
  if (!parts)
    return std::nullopt;
  SmallVector<int64_t> permutation = toInts(transpose.getPermutation());
  SmallVector<int64_t> dims(parts->extents.size(), -1);
  for (auto [dim, own] : llvm::enumerate(parts->ofFirst)) {
    if (own.size() > 1)
      return std::nullopt;
    for (int64_t part : own)
      dims[part] = permutation[dim];
  }
  Columns columns{transpose.getInput(), {}, {}};
  for (auto [dim, own] : llvm::enumerate(parts->ofSecond))
    for (int64_t part : own)
      (dim + 1 == parts->ofSecond.size() ? columns.inside : columns.outside)
          .push_back(dims[part]);
  auto isSpatial = [](int64_t dim) { return dim >= 2; };
  if (llvm::count_if(columns.inside, isSpatial) != 1 ||
      llvm::count_if(columns.outside, isSpatial) != 1 ||
      !llvm::is_contained(columns.inside, 1) ||
      llvm::is_contained(columns.inside, 0))
    return std::nullopt;
  return columns;
}

/// Whether the target has the channels of what makes an image innermost.
static bool hasChannelsInnermost(const TargetSpec &target, Value image) {
  Operation *op = image.getDefiningOp();
  while (isElementwise(op)) {
    auto whole = llvm::find_if(op->getOperands(), [&](Value operand) {
      return operand.getType() == image.getType() && operand.getDefiningOp();
    });
    op = whole == op->operand_end() ? nullptr : (*whole).getDefiningOp();
  }
  auto known = dyn_cast_or_null<LayoutOpInterface>(op);
  std::optional<WeightedKernel> kernel = weightedKernel(op);
  if (!known || !kernel || kernel->kind != NPU_OP_CONV)
    return false;
  LayoutAttr layout = preferredResult(target, known, known.getLayoutRelation());
  return layout && layout.getBlocks().empty() && layout.getOrder().back() == 1;
}

/// What is added to a product in front of everything else, one number for each
/// column of the matrix; null: nothing.
static EltwiseOp offsetOf(MatmulOp op) {
  if (!op->hasOneUse())
    return {};
  auto sum = dyn_cast<EltwiseOp>(*op->user_begin());
  if (!isKind(sum, NPU_INSTR_add) ||
      sum.getResult().getType() != op.getResult().getType())
    return {};
  Value other = sum.getInputs()[sum.getInputs()[0] == op.getResult() ? 1 : 0];
  const bool isOfColumns =
      constantOf(other) && tensorType(other).getRank() > 0 &&
      tensorType(other).getNumElements() == shapeOf(other).back() &&
      shapeOf(other).back() == shapeOf(op.getResult()).back();
  return isOfColumns ? sum : EltwiseOp();
}

namespace {

// Pattern: add(matmul(reshape(transpose(X)), W), b) -> view of conv(X, W, b)
struct ProductOfColumns : OpRewritePattern<MatmulOp> {
  ProductOfColumns(MLIRContext *context, const TargetSpec &target)
      : OpRewritePattern(context), target(target) {}

  LogicalResult matchAndRewrite(MatmulOp op,
                                PatternRewriter &rewriter) const override {
    if (op.isPacked() || op.getQuantize() != 0 || !isF32(op.getResult()) ||
        !constantOf(op.getB()) || tensorType(op.getB()).getRank() != 2)
      return rewriter.notifyMatchFailure(op, "no product by constants");
    std::optional<Columns> columns = columnsOf(op.getA());
    if (!columns || !hasChannelsInnermost(target, columns->image))
      return rewriter.notifyMatchFailure(op, "no columns that lie apart");
    EltwiseOp sum = offsetOf(op);
    Operation *last = sum ? sum.getOperation() : op.getOperation();
    FailureOr<Value> weight = makeWeight(rewriter, op, *columns);
    if (failed(weight))
      return failure();
    SmallVector<Value> operands = {columns->image, *weight};
    if (sum) {
      Value offset =
          sum.getInputs()[sum.getInputs()[0] == op.getResult() ? 1 : 0];
      FailureOr<Value> bias = makeReshape(rewriter, offset.getLoc(), offset,
                                          shapeOf(offset).back());
      if (failed(bias))
        return failure();
      operands.push_back(*bias);
    }
    rewriter.setInsertionPoint(last);
    FailureOr<Value> result = makeRows(
        rewriter, makeConv(rewriter, fuseLocations({op, last}), operands),
        *columns, shapeOf(op.getResult()));
    if (failed(result))
      return failure();
    rewriter.replaceOp(last, *result);
    return success();
  }

private:
  /// The matrix as (columns, channels, window).
  static FailureOr<Value> makeWeight(PatternRewriter &rewriter, MatmulOp op,
                                     const Columns &columns) {
    ArrayRef<int64_t> image = shapeOf(columns.image);
    const Location location = op.getB().getLoc();
    SmallVector<int64_t> shape,
        order = {static_cast<int64_t>(columns.inside.size())},
        window = {shapeOf(op.getB())[1], image[1], 1, 1};
    for (int64_t dim : columns.inside) {
      shape.push_back(image[dim]);
      if (dim >= 2)
        window[dim] = image[dim];
    }
    shape.push_back(window[0]);
    for (int64_t dim = 1; dim < 4; ++dim)
      if (const auto *place = llvm::find(columns.inside, dim);
          place != columns.inside.end())
        order.push_back(place - columns.inside.begin());
    FailureOr<Value> weight = makeReshape(rewriter, location, op.getB(), shape);
    if (succeeded(weight))
      weight = makeTranspose(rewriter, location, *weight, order);
    return succeeded(weight) ? makeReshape(rewriter, location, *weight, window)
                             : weight;
  }

  static Value makeConv(PatternRewriter &rewriter, Location location,
                        ArrayRef<Value> operands) {
    SmallVector<int64_t> shape(shapeOf(operands[0]));
    ArrayRef<int64_t> weight = shapeOf(operands[1]);
    shape[1] = weight[0];
    for (size_t dim = 2; dim < 4; ++dim)
      shape[dim] -= weight[dim] - 1;
    return Conv2dOp::create(
               rewriter, location, tensorType(operands[0]).clone(shape),
               operands[0], operands[1],
               operands.size() > 2 ? operands[2] : Value(),
               rewriter.getI64ArrayAttr({1, 1}),
               rewriter.getI64ArrayAttr({0, 0, 0, 0}),
               rewriter.getI64ArrayAttr({1, 1}), rewriter.getI64IntegerAttr(1))
        .getResult();
  }

  /// The convolution's results as the product has them.
  static FailureOr<Value> makeRows(PatternRewriter &rewriter, Value whole,
                                   const Columns &columns,
                                   ArrayRef<int64_t> rows) {
    SmallVector<int64_t> order(columns.outside);
    for (int64_t dim : {0, 2, 3})
      if (!llvm::is_contained(order, dim))
        order.push_back(dim);
    order.push_back(1);
    FailureOr<Value> moved =
        makeTranspose(rewriter, whole.getLoc(), whole, order);
    return succeeded(moved)
               ? makeReshape(rewriter, whole.getLoc(), *moved, rows)
               : moved;
  }

  const TargetSpec &target;
};

struct MatchColumnsPass
    : PassOfTarget<npu::impl::MatchColumnsBase<MatchColumnsPass>> {
  using PassOfTarget::PassOfTarget;

  void runOnOperation() override {
    if (spec.get() && failed(matchColumns(getOperation(), *spec.get())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult npu::matchColumns(Operation *root, const TargetSpec &target) {
  if (!hasAny<MatmulOp>(root) || !hasAny<TransposeOp>(root))
    return success();
  mlir::RewritePatternSet patterns(root->getContext());
  patterns.add<ProductOfColumns>(root->getContext(), target);
  return apply(root, std::move(patterns));
}

std::unique_ptr<mlir::Pass> npu::createMatchColumns(const TargetSpec *target) {
  return std::make_unique<MatchColumnsPass>(target);
}
