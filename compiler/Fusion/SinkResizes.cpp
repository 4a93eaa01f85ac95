// SPDX-License-Identifier: Apache-2.0
//
// npu-sink-resizes: a resize that makes its data larger moves below a product
// by constants of each position's channels, also out of a concat of them: it
// is a linear function of each channel alone, so that the product is of the
// smaller data.
//
// It ends: each rewrite takes a resize from in front of a product and none puts
// one there.
#include "compiler/Fusion/ChannelProduct.h"
#include "compiler/Fusion/HasAny.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Fusion/Rewrites.h"
#include "compiler/Fusion/WeightedKernel.h"

using namespace npu;
using namespace npu::rewrites;
using mlir::PatternRewriter;
using mlir::ShapedType;

namespace npu {
#define GEN_PASS_DEF_SINKRESIZES
#include "compiler/Fusion/Passes.h.inc"
} // namespace npu

/// An element that is read or written takes as long as so many multiplications:
/// one that is moved once more has to save as many, and a product of fewer
/// positions waits for its weights.
static constexpr int64_t leastProducts = 64;

/// Orders that have channels in blocks take as long for a few as for so many.
static constexpr int64_t leastChannels = 16;

namespace {

/// A product of channels, perhaps of what is transposed in front.
struct Product : ChannelProduct {
  SmallVector<int64_t> permutation = {}; // empty: none

  /// The dimension that has the channels in front of the transpose.
  int64_t dataChannel() const {
    return permutation.empty() ? channel : permutation[channel];
  }
};

/// One of the values whose channels lie one behind the other in the data.
struct Piece {
  Value value;
  Part channels; // of the weight
};

/// Those whose resizes move below the products, and those that stay.
struct Pieces {
  SmallVector<Piece> resized, rest;
};

} // namespace

/// All that read a value, transposed or not, if they are products of the same
/// dimension of it; empty otherwise.
static SmallVector<Product> productsOf(Value value) {
  SmallVector<Product> products;
  for (Operation *user : value.getUsers()) {
    auto transpose = dyn_cast<TransposeOp>(user);
    SmallVector<Operation *> readers = {user};
    if (transpose)
      readers.assign(user->user_begin(), user->user_end());
    for (Operation *reader : readers) {
      std::optional<ChannelProduct> product = channelProductOf(reader);
      if (!product)
        return {};
      products.push_back({*product});
      if (transpose)
        products.back().permutation = toInts(transpose.getPermutation());
      if (products.back().dataChannel() != products.front().dataChannel())
        return {};
    }
  }
  return products;
}

/// The resize that makes the value, if it leaves channels alone and there are
/// more positions behind it.
static ResizeOp enlargingResize(Value value, int64_t channel) {
  auto resize = value.getDefiningOp<ResizeOp>();
  if (!resize)
    return ResizeOp();
  auto scale = llvm::cast<mlir::FloatAttr>(resize.getScales()[channel]);
  ArrayRef<int64_t> small = shapeOf(resize.getInput()), large = shapeOf(value);
  return scale.getValueAsDouble() == 1 && small[channel] == large[channel] &&
                 ShapedType::getNumElements(small) <
                     ShapedType::getNumElements(large)
             ? resize
             : ResizeOp();
}

/// Whether elementwise functions of a product's result become a kernel of their
/// own where a resize stands in between. A sum with what another kernel makes,
/// or with other functions, goes there.
static bool leavesFunctions(const Product &product) {
  auto isKernel = [&](Value operand) {
    Operation *op = operand.getDefiningOp();
    return operand != product.result() &&
           operand.getType() == product.result().getType() &&
           (isElementwise(op) || weightedKernel(op));
  };
  return llvm::any_of(product.result().getUsers(), [&](Operation *user) {
    return isElementwise(user) && llvm::none_of(user->getOperands(), isKernel);
  });
}

/// Whether a resize makes few enough channels in place of its data's: more take
/// it longer. Next to a concat that need not copy them twice as many still pay.
static bool isSmallEnough(int64_t results, int64_t channels, bool isSummed) {
  return isSummed ? channels >= leastChannels && results <= 2 * channels
                  : results <= channels;
}

/// Whether it pays to resize what products make of the data, not the data: by
/// multiplications, and by the elements that are read and written. Of a
/// concat's copy half is counted, because where parts lie as it wants them
/// there is none.
static bool pays(ResizeOp resize, ArrayRef<Product> products, bool isSummed) {
  ArrayRef<int64_t> data = shapeOf(resize.getInput());
  const int64_t channels = data[products.front().dataChannel()];
  int64_t results = 0;
  for (const Product &product : products)
    results += product.resultChannels();
  if (channels == 0 || !isSmallEnough(results, channels, isSummed) ||
      (!isSummed && llvm::any_of(products, leavesFunctions)))
    return false;
  const auto readers = static_cast<int64_t>(products.size());
  const int64_t small = ShapedType::getNumElements(data) / channels;
  const int64_t large =
      tensorType(resize.getResult()).getNumElements() / channels;
  // What a sum reads has been written.
  const int64_t copies = isSummed ? 1 : 0, sums = isSummed ? 2 : 0;
  const int64_t before =
      channels * (small + large + (copies + readers) * large);
  const int64_t after =
      readers * channels * small + results * (2 * small + sums * large);
  const int64_t saved =
      channels * results * (large - std::max(small, leastProducts));
  return saved > 0 && leastProducts * (after - before) <= saved;
}

/// Parts the values, which a concat joins if there are several, with their
/// places in the weight.
static Pieces piecesOf(ValueRange values, ArrayRef<Product> products) {
  Pieces pieces;
  const Product &first = products.front();
  const bool isSummed = values.size() > 1;
  int64_t begin = 0;
  for (Value value : values) {
    ResizeOp resize = enlargingResize(value, first.dataChannel());
    // What something else reads, too, would be resized twice.
    const bool sinks = resize && (!isSummed || value.hasOneUse()) &&
                       pays(resize, products, isSummed);
    const int64_t extent = shapeOf(value)[first.dataChannel()];
    (sinks ? pieces.resized : pieces.rest)
        .push_back({value, {first.weightDim, begin, extent}});
    begin += extent;
  }
  return pieces;
}

/// The product of these pieces alone, which `data` has one behind the other.
static FailureOr<Value> productOfPieces(OpBuilder &builder,
                                        const Product &product, Value data,
                                        ArrayRef<Piece> pieces, bool hasBias) {
  const Location location = product.weight().getLoc();
  SmallVector<Value> weights;
  for (const Piece &piece : pieces) {
    FailureOr<Value> weight =
        makePart(builder, location, product.weight(), piece.channels);
    if (failed(weight))
      return failure();
    weights.push_back(*weight);
  }
  FailureOr<Value> weight = makeConcat(builder, location, weights,
                                       static_cast<size_t>(product.weightDim));
  FailureOr<Value> input = data;
  if (!product.permutation.empty())
    input =
        makeTranspose(builder, product.op->getLoc(), data, product.permutation);
  if (failed(weight) || failed(input))
    return failure();
  SmallVector<Value> operands = {*input, *weight};
  if (hasBias)
    llvm::append_range(operands, product.op->getOperands().drop_front(2));
  SmallVector<int64_t> shape(shapeOf(*input));
  shape[product.channel] = product.resultChannels();
  return cloneWith(builder, product.op->getLoc(), product.op, operands,
                   tensorType(data).clone(shape))
      ->getResult(0);
}

/// What a product has made of a resize's data, resized.
static Value resizedResult(OpBuilder &builder, ResizeOp resize,
                           const Product &product, Value made) {
  auto clone = llvm::cast<ResizeOp>(cloneWith(
      builder, resize.getLoc(), resize, made, product.result().getType()));
  SmallVector<Attribute> scales(resize.getScales().begin(),
                                resize.getScales().end());
  for (auto [dim, from] : llvm::enumerate(product.permutation))
    scales[dim] = resize.getScales()[from];
  clone.setScalesAttr(builder.getArrayAttr(scales));
  return clone.getResult();
}

/// The sum of the products of pieces. That of what is not resized comes first:
/// its kernel adds the others and runs what is behind them.
static FailureOr<Value> sumFor(OpBuilder &builder, const Product &product,
                               const Pieces &pieces, Value rest) {
  FailureOr<Value> sum = Value();
  if (rest)
    sum = productOfPieces(builder, product, rest, pieces.rest,
                          /*hasBias=*/true);
  for (const Piece &piece : pieces.resized) {
    if (failed(sum))
      return failure();
    auto resize = piece.value.getDefiningOp<ResizeOp>();
    // An element is a mean of its neighbours, by weights that sum to 1: a bias
    // may be added in front.
    FailureOr<Value> made = productOfPieces(builder, product, resize.getInput(),
                                            piece, /*hasBias=*/!*sum);
    if (failed(made))
      return failure();
    Value large = resizedResult(builder, resize, product, *made);
    if (*sum)
      sum = makeEltwise(builder, product.op->getLoc(), NPU_INSTR_add,
                        {*sum, large});
    else
      sum = large;
  }
  return sum;
}

/// Moves resizes among the values that `joined` is made of, itself or a
/// concat's operands, below all products that read it.
static LogicalResult sink(PatternRewriter &rewriter, Value joined,
                          ValueRange values, ArrayRef<Product> products) {
  const Pieces pieces = piecesOf(values, products);
  if (pieces.resized.empty())
    return failure();
  SmallVector<Value> others;
  for (const Piece &piece : pieces.rest)
    others.push_back(piece.value);
  rewriter.setInsertionPointAfterValue(joined);
  FailureOr<Value> rest = Value();
  if (!others.empty())
    rest = makeConcat(rewriter, joined.getLoc(), others,
                      static_cast<size_t>(products.front().dataChannel()));
  if (failed(rest))
    return failure();
  for (const Product &product : products) {
    rewriter.setInsertionPoint(product.op);
    FailureOr<Value> sum = sumFor(rewriter, product, pieces, *rest);
    if (failed(sum))
      return failure();
    rewriter.replaceOp(product.op, *sum);
  }
  return success();
}

namespace {

// Pattern: product(concat(resize(A), B), [V, W])
//   -> add(product(B, W), resize(product(A, V)))
struct SinkFromConcat : mlir::OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Product> products = productsOf(op.getResult());
    const auto axis = static_cast<int64_t>(op.getAxis());
    // Of weights that something else reads parts would be stored beside them.
    const bool areOwn = llvm::all_of(products, [](const Product &product) {
      return product.weight().hasOneUse();
    });
    if (!areOwn || products.empty() || products.front().dataChannel() != axis ||
        failed(sink(rewriter, op.getResult(), op.getInputs(), products)))
      return rewriter.notifyMatchFailure(op, "no product of resized data");
    return success();
  }
};

// Pattern: product(resize(A), W) -> resize(product(A, W))
struct SinkResize : mlir::OpRewritePattern<ResizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ResizeOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Product> products = productsOf(op.getResult());
    if (products.empty() ||
        failed(sink(rewriter, op.getResult(), op->getResults(), products)))
      return rewriter.notifyMatchFailure(op, "no product that is made smaller");
    return success();
  }
};

struct SinkResizesPass : npu::impl::SinkResizesBase<SinkResizesPass> {
  void runOnOperation() override {
    if (failed(sinkResizes(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult npu::sinkResizes(Operation *root) {
  if (!hasAny<ResizeOp>(root))
    return success();
  mlir::RewritePatternSet patterns(root->getContext());
  addViewPatterns(patterns);
  patterns.add<SinkFromConcat, SinkResize>(root->getContext());
  return apply(root, std::move(patterns));
}
