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

/// What `value` is with the other sign; null: it says no such thing.
static Value oppositeOf(Value value) {
  if (EltwiseOp negated = definedBy(value, NPU_INSTR_neg))
    return negated.getInputs()[0];
  EltwiseOp product = definedBy(value, NPU_INSTR_mul);
  return product && scalarOf(product.getInputs()[1]) == -1.0f &&
                 product.getInputs()[0].getType() == value.getType()
             ? product.getInputs()[0]
             : Value();
}

static Half halfOf(Value value) {
  Value opposite = oppositeOf(value), half = opposite ? opposite : value;
  return {half, readOf(half), bool(opposite)};
}

/// What the half is one of: of the values that it is read through the one that
/// is this part of the data, or a new slice.
static Value wholeOf(PatternRewriter &rewriter, Location location,
                     const Half &half, const Box &part) {
  Value through = half.value;
  while (auto op = through.getDefiningOp<SliceOp>()) {
    through = op.getInput();
    Box box = readOf(through).box;
    if (box.starts == part.starts && box.extents == part.extents)
      return through;
  }
  return makeSlice(rewriter, location, half.read.data, part);
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
  return op.getInputs().size() == 2 && isF32(op.getResult());
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
    if (Value opposite = oppositeOf(piece)) {
      found.isNegative = !found.isNegative;
      piece = opposite;
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
    Value whole = wholeOf(rewriter, op.getLoc(), back, *both);
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

/// A half of the data times a constant, maybe with the other sign.
struct Product {
  Half half;
  Value factor;
  bool isNegative;
};

/// The products that a sum or a difference is of: of the first half, and of the
/// second.
struct Products {
  Product ofFirst, ofSecond;
};
} // namespace

static std::optional<Product> productOf(Value value, bool isNegative) {
  if (Value opposite = oppositeOf(value))
    return productOf(opposite, !isNegative);
  EltwiseOp op = definedBy(value, NPU_INSTR_mul);
  if (!op || !constantOf(op.getInputs()[1]) ||
      op.getInputs()[0].getType() != value.getType())
    return std::nullopt;
  return Product{halfOf(op.getInputs()[0]), op.getInputs()[1], isNegative};
}

/// Nothing where the value is not a sum of products with the halves of one
/// tensor along the axis.
static std::optional<Products> productsOf(Value value, size_t axis) {
  EltwiseOp sum = definedBy(value, NPU_INSTR_add),
            difference = definedBy(value, NPU_INSTR_sub);
  EltwiseOp op = sum ? sum : difference;
  if (!op)
    return std::nullopt;
  std::optional<Product> one = productOf(op.getInputs()[0], false),
                         other = productOf(op.getInputs()[1], !sum);
  if (!one || !other || one->half.isNegative || other->half.isNegative)
    return std::nullopt;
  if (boxOfHalves(one->half.read, other->half.read, axis))
    return Products{*one, *other};
  if (boxOfHalves(other->half.read, one->half.read, axis))
    return Products{*other, *one};
  return std::nullopt;
}

/// Of the results' first half and of their second, along that dimension of the
/// result; null where they do not vary along it alike.
static Value joinFactors(PatternRewriter &rewriter, const Product &first,
                         const Product &second, Value result, size_t axis) {
  const size_t rank = shapeOf(result).size();
  const size_t own = shapeOf(first.factor).size();
  if (first.factor.getType() != second.factor.getType() || own + axis < rank ||
      2 * shapeOf(first.factor)[own + axis - rank] != shapeOf(result)[axis])
    return Value();
  axis = own + axis - rank;
  FailureOr<Value> joined = makeConcat(rewriter, result.getLoc(),
                                       {first.factor, second.factor}, axis);
  if (failed(joined))
    return Value();
  FailureOr<Value> factors =
      withSigns(rewriter, result.getLoc(), *joined, axis,
                static_cast<size_t>(shapeOf(first.factor)[axis]),
                first.isNegative, second.isNegative);
  return failed(factors) ? Value() : *factors;
}

namespace {

// Pattern: concat(a * c - b * s, b * d + a * t), a and b the halves of X
//   -> X * concat(c, d) + mul(swapped(X), concat(-s, t))
struct TurnHalves : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override {
    if (!areTwo(op))
      return rewriter.notifyMatchFailure(op, "not two pieces of floats");
    const auto axis = static_cast<size_t>(op.getAxis());
    std::optional<Products> front = productsOf(op.getInputs()[0], axis),
                            back = productsOf(op.getInputs()[1], axis);
    if (!front || !back ||
        front->ofFirst.half.value != back->ofFirst.half.value ||
        front->ofSecond.half.value != back->ofSecond.half.value)
      return rewriter.notifyMatchFailure(op, "not turned halves");
    const Half &half = front->ofFirst.half;
    Box both = *boxOfHalves(half.read, front->ofSecond.half.read, axis);
    if (ArrayRef<int64_t>(both.extents) != shapeOf(op.getResult()))
      return rewriter.notifyMatchFailure(op, "factors repeat the data");
    Value straight = joinFactors(rewriter, front->ofFirst, back->ofSecond,
                                 op.getResult(), axis),
          across = joinFactors(rewriter, front->ofSecond, back->ofFirst,
                               op.getResult(), axis);
    if (!straight || !across)
      return rewriter.notifyMatchFailure(op, "factors of other shapes");
    Value whole = wholeOf(rewriter, op.getLoc(), half, both);
    Value swapped = swapHalves(rewriter, op.getLoc(), whole, axis);
    auto make = [&](npu_instr_kind kind, Value one, Value other) {
      return *makeEltwise(rewriter, op.getLoc(), kind, {one, other});
    };
    rewriter.replaceOp(op,
                       make(NPU_INSTR_add, make(NPU_INSTR_mul, whole, straight),
                            make(NPU_INSTR_mul, swapped, across)));
    return success();
  }
};

/// Whether each number is 1 or -1.
static bool areSigns(Value value) {
  std::optional<std::vector<float>> known = floatsOf(value);
  return known && llvm::all_of(*known, [](float number) {
           return std::fabs(number) == 1.0f;
         });
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
  patterns.add<SwapHalves, SwapPairs, TurnHalves, SignsOfFactor>(
      patterns.getContext());
}
