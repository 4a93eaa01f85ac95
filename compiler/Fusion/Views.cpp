// SPDX-License-Identifier: Apache-2.0
//
// Patterns on logical views: transposes and reshapes that cancel or compose.
#include "compiler/Fusion/Rewrites.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Fusion/FusionTraits.h"

using namespace npu;
using namespace npu::rewrites;
using mlir::OpRewritePattern;
using mlir::PatternRewriter;

/// The permutation without unit dimensions: whether it moves any element.
static bool movesOnlyUnits(TransposeOp op) {
  ArrayRef<int64_t> shape = shapeOf(op.getInput());
  int64_t last = -1;
  for (int64_t dim : toInts(op.getPermutation())) {
    if (shape[dim] == 1)
      continue;
    if (dim < last)
      return false;
    last = dim;
  }
  return true;
}

std::optional<CommonParts> CommonParts::find(ArrayRef<int64_t> first,
                                             ArrayRef<int64_t> second) {
  CommonParts parts;
  parts.ofFirst.resize(first.size());
  parts.ofSecond.resize(second.size());
  size_t i = first.size(), j = second.size();
  int64_t a = 1, b = 1; // what is left of the dimensions i and j
  while (true) {
    while (a == 1 && i > 0)
      a = first[--i];
    while (b == 1 && j > 0)
      b = second[--j];
    if (a == 1 && b == 1)
      break;
    int64_t part = std::min(a, b);
    if (part <= 1 || a % part != 0 || b % part != 0)
      return std::nullopt;
    a /= part;
    b /= part;
    auto number = static_cast<int64_t>(parts.extents.size());
    parts.extents.push_back(part);
    parts.ofFirst[i].insert(parts.ofFirst[i].begin(), number);
    parts.ofSecond[j].insert(parts.ofSecond[j].begin(), number);
  }
  return parts;
}

namespace {

// Pattern: transpose(reshape(transpose(X))) -> reshape(transpose(reshape(X)))
//          where the second transpose moves whole parts of X's dimensions: what
//          stands between may merge what no memory has side by side (patches of
//          an image whose channels are innermost)
struct ComposeTransposes : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto reshape = op.getInput().getDefiningOp<ReshapeOp>();
    auto first =
        reshape ? reshape.getInput().getDefiningOp<TransposeOp>() : nullptr;
    if (!first || !reshape->hasOneUse())
      return rewriter.notifyMatchFailure(op, "not a transpose of another's");
    auto parts = CommonParts::find(shapeOf(first.getResult()),
                                   shapeOf(reshape.getResult()));
    if (!parts || parts->extents.size() > NPU_MAX_RANK)
      return rewriter.notifyMatchFailure(op, "no parts of whole dimensions");
    SmallVector<int64_t> before, split, moved;
    for (int64_t dim : inversePermutation(toInts(first.getPermutation())))
      llvm::append_range(before, parts->ofFirst[dim]);
    for (int64_t part : before)
      split.push_back(parts->extents[part]);
    for (int64_t dim : toInts(op.getPermutation()))
      for (int64_t part : parts->ofSecond[dim])
        moved.push_back(llvm::find(before, part) - before.begin());
    Location location = fuseLocations({first, op});
    FailureOr<Value> result =
        makeReshape(rewriter, location, first.getInput(), split);
    if (succeeded(result))
      result = makeTranspose(rewriter, location, *result, moved);
    if (succeeded(result))
      result =
          makeReshape(rewriter, location, *result, shapeOf(op.getResult()));
    if (failed(result))
      return failure();
    rewriter.replaceOp(op, *result);
    return success();
  }
};

// Pattern: transpose(X, identity) -> X
// Pattern: transpose(transpose(X, p), q) -> transpose(X, p o q)
// Pattern: transpose(constant) -> constant
struct FoldTranspose : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<int64_t> permutation = toInts(op.getPermutation());
    Value input = op.getInput();
    Location location = op.getLoc();
    if (auto inner = input.getDefiningOp<TransposeOp>()) {
      SmallVector<int64_t> first = toInts(inner.getPermutation());
      for (int64_t &dim : permutation)
        dim = first[dim];
      input = inner.getInput();
      location = fuseLocations({inner, op});
    } else if (!isIdentity(permutation) && !constantOf(input)) {
      return rewriter.notifyMatchFailure(op, "nothing to fold");
    }
    FailureOr<Value> result =
        makeTranspose(rewriter, location, input, permutation);
    if (failed(result))
      return failure();
    rewriter.replaceOp(op, *result);
    return success();
  }
};

// Pattern: reshape(X) to X's shape -> X
// Pattern: reshape(reshape(X)) -> reshape(X)
// Pattern: reshape(transpose(X)) that moves unit dimensions only -> reshape(X)
// Pattern: reshape(constant) -> constant
struct FoldReshape : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    Value input = op.getInput();
    Location location = op.getLoc();
    auto transpose = input.getDefiningOp<TransposeOp>();
    if (auto inner = input.getDefiningOp<ReshapeOp>()) {
      input = inner.getInput();
      location = fuseLocations({inner, op});
    } else if (transpose && movesOnlyUnits(transpose)) {
      input = transpose.getInput();
      location = fuseLocations({transpose, op});
    } else if (shapeOf(input) != shapeOf(op.getResult()) &&
               !constantOf(input)) {
      return rewriter.notifyMatchFailure(op, "nothing to fold");
    }
    FailureOr<Value> result =
        makeReshape(rewriter, location, input, shapeOf(op.getResult()));
    if (failed(result))
      return failure();
    rewriter.replaceOp(op, *result);
    return success();
  }
};

// Pattern: transpose(reshape(X)) that moves unit dimensions only -> reshape(X)
struct FoldUnitTranspose : OpRewritePattern<TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TransposeOp op,
                                PatternRewriter &rewriter) const override {
    auto reshape = op.getInput().getDefiningOp<ReshapeOp>();
    if (!reshape || !movesOnlyUnits(op))
      return rewriter.notifyMatchFailure(op, "not a reshape of a reshape");
    FailureOr<Value> result =
        makeReshape(rewriter, fuseLocations({reshape, op}), reshape.getInput(),
                    shapeOf(op.getResult()));
    if (failed(result))
      return failure();
    rewriter.replaceOp(op, *result);
    return success();
  }
};

namespace {

// Pattern: reshape(transpose(X)) that adds, drops or moves unit dimensions only
//          -> transpose(reshape(X)): where exporters put such dimensions, the
//          transpose meets what computes
struct UnitsAboveTranspose : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto transpose = op.getInput().getDefiningOp<TransposeOp>();
    if (!transpose || !transpose->hasOneUse() || movesOnlyUnits(transpose))
      return rewriter.notifyMatchFailure(op, "no transpose of its own");
    ArrayRef<int64_t> input = shapeOf(transpose.getInput()),
                      moved = shapeOf(transpose.getResult()),
                      result = shapeOf(op.getResult());
    SmallVector<size_t> from = longDims(moved), to = longDims(result);
    if (!llvm::equal(from, to,
                     [&](size_t a, size_t b) { return moved[a] == result[b]; }))
      return rewriter.notifyMatchFailure(op, "merges or splits dimensions");
    // In front of the others the unit dimensions are nobody's neighbours.
    SmallVector<int64_t> own = toInts(transpose.getPermutation()),
                         place(input.size(), 0), shape, permutation;
    shape.assign(result.size() - to.size(), 1);
    for (size_t dim : longDims(input)) {
      place[dim] = static_cast<int64_t>(shape.size());
      shape.push_back(input[dim]);
    }
    int64_t unit = 0;
    const size_t *next = from.begin();
    for (int64_t extent : result)
      permutation.push_back(extent == 1 ? unit++ : place[own[*next++]]);
    Location location = fuseLocations({transpose, op});
    FailureOr<Value> view =
        makeReshape(rewriter, location, transpose.getInput(), shape);
    if (succeeded(view))
      view = makeTranspose(rewriter, location, *view, permutation);
    if (failed(view))
      return failure();
    rewriter.replaceOp(op, *view);
    return success();
  }
};

} // namespace

/// Whether a product makes the value, with what is fused to it.
static bool isOfProduct(Value value) {
  while (isElementwise(value.getDefiningOp())) {
    if (!value.hasOneUse())
      return false;
    value = value.getDefiningOp()->getOperand(0);
  }
  auto kernel = value.getDefiningOp<KernelOpInterface>();
  return kernel && kernel->hasOneUse() && fusionTraitsOf(kernel).sumsWider;
}

// Pattern: function(reshape(product)) -> reshape(function(product)), whose
//          kernel takes it; not a conversion, for what scales integers behind
//          it would stay
struct FunctionOfProduct : OpRewritePattern<EltwiseOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EltwiseOp op,
                                PatternRewriter &rewriter) const override {
    auto reshape = op.getInputs()[0].getDefiningOp<ReshapeOp>();
    if (op.getInputs().size() != 1 || !reshape || !reshape->hasOneUse() ||
        !isOfProduct(reshape.getInput()))
      return rewriter.notifyMatchFailure(op, "no reshape of a product");
    RankedTensorType type = tensorType(reshape.getInput());
    if (type.getElementType() != tensorType(op.getResult()).getElementType())
      return rewriter.notifyMatchFailure(op, "a conversion");
    Value result =
        cloneWith(rewriter, op.getLoc(), op, reshape.getInput(), type)
            ->getResult(0);
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getResult().getType(),
                                           result);
    return success();
  }
};

} // namespace

void rewrites::addViewPatterns(mlir::RewritePatternSet &patterns) {
  patterns.add<FoldTranspose, FoldReshape, FoldUnitTranspose, ComposeTransposes,
               UnitsAboveTranspose, FunctionOfProduct>(patterns.getContext());
}
