// SPDX-License-Identifier: Apache-2.0
//
// Patterns on logical views: transposes and reshapes that cancel or compose.
#include "compiler/Fusion/Rewrites.h"

#include "compiler/Dialect/NPU/Constants.h"

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

namespace {

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

} // namespace

void rewrites::addViewPatterns(mlir::RewritePatternSet &patterns) {
  patterns.add<FoldTranspose, FoldReshape, FoldUnitTranspose>(
      patterns.getContext());
}
