// SPDX-License-Identifier: Apache-2.0
//
// Patterns on rotary embedding: exporters copy both halves of each head, or
// every second number, one of them with the other sign, to where the other was.
// That is one slice from back to front, and signs, which go into the sines.
#include "compiler/Fusion/Boxes.h"
#include "compiler/Fusion/Rewrites.h"

#include <cmath>

using namespace npu;
using namespace npu::rewrites;
using mlir::OpRewritePattern;
using mlir::PatternRewriter;

namespace {
/// A half of a tensor, maybe with the other sign.
struct Half {
  Value value;
  Read read;
  bool isNegative;
};
} // namespace

static Half halfOf(Value value) {
  EltwiseOp negated = definedBy(value, NPU_INSTR_neg);
  Value half = negated ? negated.getInputs()[0] : value;
  return {half, readOf(half), bool(negated)};
}

/// Of the values that a slice is read through, the one that is this part of the
/// data; null: there is none.
static Value findPart(Value slice, const Box &part) {
  while (auto op = slice.getDefiningOp<SliceOp>()) {
    slice = op.getInput();
    Box box = readOf(slice).box;
    if (box.starts == part.starts && box.extents == part.extents)
      return slice;
  }
  return Value();
}

/// The box of both, where `second` goes on along the axis where `first` ends,
/// and is as long.
static std::optional<Box> boxOfHalves(const Read &first, const Read &second,
                                      size_t axis) {
  Box expected = first.box;
  expected.starts[axis] += expected.extents[axis];
  if (first.data != second.data || expected.starts != second.box.starts ||
      expected.extents != second.box.extents)
    return std::nullopt;
  Box both = first.box;
  both.extents[axis] *= 2;
  return both;
}

/// The two elements of a dimension in the other order.
static Value turnAround(PatternRewriter &rewriter, Location location,
                        Value pairs, size_t axis) {
  const size_t rank = shapeOf(pairs).size();
  SmallVector<int64_t> starts(rank, 0), steps(rank, 1);
  starts[axis] = 1;
  steps[axis] = -1;
  return SliceOp::create(rewriter, location, pairs.getType(), pairs,
                         rewriter.getI64ArrayAttr(starts),
                         rewriter.getI64ArrayAttr(steps));
}

/// The halves along the axis in the other order. Of data that is transposed it
/// is so before: elementwise steps on both stay together.
static Value swapHalves(PatternRewriter &rewriter, Location location,
                        Value data, size_t axis) {
  if (auto transpose = data.getDefiningOp<TransposeOp>()) {
    SmallVector<int64_t> permutation = toInts(transpose.getPermutation());
    Value swapped = swapHalves(rewriter, location, transpose.getInput(),
                               static_cast<size_t>(permutation[axis]));
    return *makeTranspose(rewriter, location, swapped, permutation);
  }
  SmallVector<int64_t> shape(shapeOf(data));
  shape[axis] /= 2;
  shape.insert(shape.begin() + static_cast<int64_t>(axis), 2);
  Value halves = *makeReshape(rewriter, location, data, shape);
  return *makeReshape(rewriter, location,
                      turnAround(rewriter, location, halves, axis),
                      shapeOf(data));
}

/// Every second number of the last dimension in the place of the one beside it;
/// likewise.
static Value swapPairs(PatternRewriter &rewriter, Location location,
                       Value data) {
  if (auto transpose = data.getDefiningOp<TransposeOp>()) {
    SmallVector<int64_t> permutation = toInts(transpose.getPermutation());
    if (permutation.back() == static_cast<int64_t>(permutation.size()) - 1)
      return *makeTranspose(rewriter, location,
                            swapPairs(rewriter, location, transpose.getInput()),
                            permutation);
  }
  SmallVector<int64_t> shape(shapeOf(data));
  shape.back() /= 2;
  shape.push_back(2);
  Value pairs = *makeReshape(rewriter, location, data, shape);
  return *makeReshape(rewriter, location,
                      turnAround(rewriter, location, pairs, shape.size() - 1),
                      shapeOf(data));
}

/// Times -1 or 1 along the axis: so many of the first, so many of the second,
/// and again.
static FailureOr<Value> withSigns(PatternRewriter &rewriter, Location location,
                                  Value value, size_t axis, size_t run,
                                  bool isFirst, bool isSecond) {
  if (!isFirst && !isSecond)
    return value;
  SmallVector<int64_t> shape(shapeOf(value).size(), 1);
  shape[axis] = shapeOf(value)[axis];
  std::vector<float> signs(static_cast<size_t>(shape[axis]));
  for (auto [i, sign] : llvm::enumerate(signs))
    sign = (i / run % 2 == 0 ? isFirst : isSecond) ? -1.0f : 1.0f;
  return makeEltwise(rewriter, location, NPU_INSTR_mul,
                     {value, makeFloats(rewriter, location, shape, signs)});
}

/// Two pieces of floats, of which concat makes a whole.
static bool areTwo(ConcatOp op) {
  return op.getInputs().size() == 2 &&
         tensorType(op.getResult()).getElementType().isF32();
}

/// A piece that is every second element of a dimension, which lies beside
/// others in a new last dimension, maybe with the other sign.
struct Every {
  Value data;
  int64_t start;
  bool isNegative = false;
};

/// Nothing where `piece` is none such, the new dimension behind the last one of
/// the data.
static std::optional<Every> everySecond(Value piece) {
  Every found;
  for (int step = 0; step < 2; ++step) {
    if (EltwiseOp negated = definedBy(piece, NPU_INSTR_neg)) {
      found.isNegative = !found.isNegative;
      piece = negated.getInputs()[0];
    }
    if (auto reshape = piece.getDefiningOp<ReshapeOp>(); reshape && step == 0)
      piece = reshape.getInput();
  }
  auto slice = piece.getDefiningOp<SliceOp>();
  if (!slice)
    return std::nullopt;
  found.data = slice.getInput();
  SmallVector<int64_t> starts = toInts(slice.getStarts()),
                       steps = toInts(slice.getSteps()),
                       extents(shapeOf(piece));
  found.start = starts.back();
  starts.back() = 0;
  extents.back() *= 2;
  if (steps.back() != 2 || extents != shapeOf(found.data) ||
      llvm::any_of(starts, [](int64_t start) { return start != 0; }) ||
      llvm::any_of(llvm::drop_end(steps),
                   [](int64_t step) { return step != 1; }))
    return std::nullopt;
  return found;
}

namespace {

// Pattern: concat(neg(slice(X)), slice(X)), the second half before the first
//   -> mul(reshape(slice(reshape(X))), signs), the slice from back to front
struct SwapHalves : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override {
    if (!areTwo(op))
      return rewriter.notifyMatchFailure(op, "not two pieces of floats");
    const auto axis = static_cast<size_t>(op.getAxis());
    const Half front = halfOf(op.getInputs()[0]),
               back = halfOf(op.getInputs()[1]);
    std::optional<Box> both = boxOfHalves(back.read, front.read, axis);
    if (!both)
      return rewriter.notifyMatchFailure(op, "not halves of one tensor");
    Value whole = findPart(back.value, *both);
    if (!whole)
      whole = makeSlice(rewriter, op.getLoc(), back.read.data, *both);
    FailureOr<Value> result = withSigns(
        rewriter, op.getLoc(), swapHalves(rewriter, op.getLoc(), whole, axis),
        axis, static_cast<size_t>(both->extents[axis] / 2), front.isNegative,
        back.isNegative);
    if (failed(result))
      return failure();
    rewriter.replaceOp(op, *result);
    return success();
  }
};

// Pattern: reshape(concat(neg(slice(X)), slice(X))), every second number from
// the second one on beside those from the first one on
//   -> mul(reshape(slice(reshape(X))), signs), the slice from back to front
struct SwapPairs : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto concat = op.getInput().getDefiningOp<ConcatOp>();
    ArrayRef<int64_t> shape = shapeOf(op.getInput());
    if (!concat || !areTwo(concat) || shape.back() != 2 ||
        static_cast<size_t>(concat.getAxis()) != shape.size() - 1)
      return rewriter.notifyMatchFailure(op, "no pairs of floats");
    std::optional<Every> front = everySecond(concat.getInputs()[0]),
                         back = everySecond(concat.getInputs()[1]);
    if (!front || !back || front->data != back->data || front->start != 1 ||
        back->start != 0 || shapeOf(front->data) != shapeOf(op.getResult()))
      return rewriter.notifyMatchFailure(op, "not every second number");
    SmallVector<int64_t> pairs(shapeOf(front->data));
    pairs.back() /= 2;
    if (ArrayRef<int64_t>(pairs) != shape.drop_back())
      return rewriter.notifyMatchFailure(op, "reshaped otherwise");
    FailureOr<Value> result = withSigns(
        rewriter, op.getLoc(), swapPairs(rewriter, op.getLoc(), front->data),
        pairs.size() - 1, 1, front->isNegative, back->isNegative);
    if (failed(result))
      return failure();
    rewriter.replaceOp(op, *result);
    return success();
  }
};

/// Whether each number is 1 or -1.
static bool areSigns(Value value) {
  ElementsAttr known = constantOf(value);
  return known && known.getElementType().isF32() &&
         llvm::all_of(known.getValues<float>(),
                      [](float number) { return std::fabs(number) == 1.0f; });
}

// Pattern: mul(mul(X, signs), c) -> mul(X, mul(c, signs))
struct SignsOfFactor : OpRewritePattern<EltwiseOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EltwiseOp op,
                                PatternRewriter &rewriter) const override {
    if (!isKind(op, NPU_INSTR_mul) || !constantOf(op.getInputs()[1]))
      return rewriter.notifyMatchFailure(op, "no constant factor");
    EltwiseOp inner = definedBy(op.getInputs()[0], NPU_INSTR_mul);
    if (!inner || !areSigns(inner.getInputs()[1]))
      return rewriter.notifyMatchFailure(op, "no signs before it");
    FailureOr<Value> factor =
        makeEltwise(rewriter, op.getLoc(), NPU_INSTR_mul,
                    {op.getInputs()[1], inner.getInputs()[1]});
    if (failed(factor))
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      op.getInputsMutable().assign({inner.getInputs()[0], *factor});
    });
    return success();
  }
};

} // namespace

void rewrites::addRotaryPatterns(mlir::RewritePatternSet &patterns) {
  patterns.add<SwapHalves, SwapPairs, SignsOfFactor>(patterns.getContext());
}
