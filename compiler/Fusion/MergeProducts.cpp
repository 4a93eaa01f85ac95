// SPDX-License-Identifier: Apache-2.0
//
// npu-merge-products: a product by constants of what another one gives is one
// product, where that multiplies less. Each rewrite removes a product, so the
// pass ends.
#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ScaledNumbers.h"
#include "compiler/Fusion/ChannelAffine.h"
#include "compiler/Fusion/ChannelProduct.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Fusion/Rewrites.h"

using namespace npu;
using namespace npu::rewrites;
using mlir::PatternRewriter;

namespace npu {
#define GEN_PASS_DEF_MERGEPRODUCTS
#include "compiler/Fusion/Passes.h.inc"
} // namespace npu

/// Multiplications that npuc does for one merged weight at most.
static constexpr int64_t mostProducts = int64_t{1} << 28;

namespace {

/// A view or sum between two products: which dimension of its result has the
/// channels.
struct Step {
  Operation *op;
  int64_t channel;
};

/// What lies between a product and the one whose result it multiplies, the
/// last step first, and what is added to the channels in there.
struct Between {
  SmallVector<Step> steps;
  SmallVector<Floats> offsets;
  ChannelProduct first;
};

} // namespace

/// The dimension of the reshape's data that is this one of its result, and
/// nothing else; -1: none.
static int64_t channelInFront(ReshapeOp reshape, int64_t channel) {
  std::optional<CommonParts> parts = CommonParts::find(
      shapeOf(reshape.getInput()), shapeOf(reshape.getResult()));
  if (!parts || parts->ofSecond[channel].empty())
    return -1;
  auto *same = llvm::find(parts->ofFirst, parts->ofSecond[channel]);
  return same == parts->ofFirst.end() ? -1 : same - parts->ofFirst.begin();
}

/// Looks for the product in front of the data of `second`.
static std::optional<Between> productInFront(const ChannelProduct &second) {
  Between between;
  Value value = second.op->getOperand(0);
  int64_t channel = second.channel;
  while (Operation *op = value.getDefiningOp()) {
    if (!value.hasOneUse())
      return std::nullopt;
    if (auto first = channelProductOf(op)) {
      between.first = *first;
      return first->channel == channel ? std::optional(between) : std::nullopt;
    }
    between.steps.push_back({op, channel});
    if (auto transpose = dyn_cast<TransposeOp>(op)) {
      channel = toInts(transpose.getPermutation())[channel];
    } else if (auto reshape = dyn_cast<ReshapeOp>(op)) {
      channel = channelInFront(reshape, channel);
    } else if (auto step =
                   affineStep(definedBy(value, NPU_INSTR_add), channel)) {
      between.offsets.push_back(step->offset);
      value = step->input;
      continue;
    } else {
      return std::nullopt;
    }
    if (channel < 0)
      return std::nullopt;
    value = op->getOperand(0);
  }
  return std::nullopt;
}

namespace {

/// A matrix of weights, from data to results, whatever the order they lie in.
struct Matrix {
  Floats values;
  int64_t rows, columns;
  bool hasRowsOutside;

  float &at(int64_t row, int64_t column) {
    return values[hasRowsOutside ? row * columns + column
                                 : column * rows + row];
  }
};

} // namespace

/// Nothing of a narrower type's numbers, whose products are none.
static std::optional<Matrix> matrixOf(const ChannelProduct &product) {
  std::optional<Floats> values = floatsOf(product.weight());
  if (!values || findScaledNumbers(*values, shapeOf(product.weight())) ||
      !llvm::all_of(*values, isModestWeight))
    return std::nullopt;
  return Matrix{std::move(*values), product.dataChannels(),
                product.resultChannels(), product.weightDim == 0};
}

/// first * second, in the order that the second lies in.
static Matrix multiplied(Matrix &first, Matrix &second) {
  Matrix result{Floats(first.rows * second.columns), first.rows, second.columns,
                second.hasRowsOutside};
  std::vector<double> sums(second.columns);
  for (int64_t row = 0; row < first.rows; ++row) {
    llvm::fill(sums, 0);
    for (int64_t k = 0; k < first.columns; ++k)
      for (int64_t n = 0; n < second.columns; ++n)
        sums[n] += static_cast<double>(first.at(row, k)) * second.at(k, n);
    for (int64_t n = 0; n < second.columns; ++n)
      result.at(row, n) = static_cast<float>(sums[n]);
  }
  return result;
}

/// What is added to the results of both: everything in front of the second
/// product meets it. Nothing where there is no such sum.
static std::optional<Floats> offsetsOf(const ChannelProduct &second,
                                       const Between &between, Matrix &matrix) {
  auto biasOf = [](const ChannelProduct &product) {
    return product.op->getNumOperands() > 2
               ? floatsOf(product.op->getOperand(2))
               : std::nullopt;
  };
  SmallVector<Floats> inFront(between.offsets);
  if (auto bias = biasOf(between.first))
    inFront.push_back(*bias);
  std::optional<Floats> behind = biasOf(second);
  if (inFront.empty() && !behind)
    return std::nullopt;
  std::vector<double> sums(matrix.columns);
  for (const Floats &offsets : inFront)
    for (int64_t k = 0; k < matrix.rows; ++k)
      for (int64_t n = 0; n < matrix.columns; ++n)
        sums[n] += static_cast<double>(offsets[k]) * matrix.at(k, n);
  Floats result(matrix.columns);
  for (int64_t n = 0; n < matrix.columns; ++n)
    result[n] = static_cast<float>(sums[n] + (behind ? (*behind)[n] : 0));
  return result;
}

/// The second product with other data and weights, and the sum behind it: what
/// reads it finds the same kernel in front.
static FailureOr<Value> makeProduct(PatternRewriter &rewriter,
                                    const ChannelProduct &second, Value data,
                                    const Matrix &matrix,
                                    const std::optional<Floats> &offsets) {
  const Location location = second.weight().getLoc();
  SmallVector<int64_t> shape(shapeOf(second.weight()));
  shape[second.weightDim] = matrix.rows;
  SmallVector<Value> operands = {
      data, makeFloats(rewriter, location, shape, matrix.values)};
  const bool takesBias = shape.size() > 2; // a convolution's
  Value added = offsets
                    ? makeFloats(rewriter, location, {matrix.columns}, *offsets)
                    : Value();
  if (added && takesBias)
    operands.push_back(added);
  Value value = cloneWith(rewriter, second.op->getLoc(), second.op, operands,
                          second.result().getType())
                    ->getResult(0);
  if (!added || takesBias)
    return value;
  return makeEltwise(rewriter, second.op->getLoc(), NPU_INSTR_add,
                     {value, added});
}

namespace {

// Pattern: product(product(X, A) + a, B) -> product(X, A * B) + a * B; where
// transposes and reshapes are in between, they come first.
struct MergeProducts : mlir::RewritePattern {
  explicit MergeProducts(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    std::optional<ChannelProduct> second = channelProductOf(op);
    std::optional<Between> between;
    if (second)
      between = productInFront(*second);
    if (!between || !pays(between->first, *second))
      return rewriter.notifyMatchFailure(op, "no product that is spared");
    std::optional<Matrix> first = matrixOf(between->first),
                          behind = matrixOf(*second);
    if (!first || !behind)
      return rewriter.notifyMatchFailure(op, "weights of narrow numbers");
    std::optional<Floats> offsets = offsetsOf(*second, *between, *behind);
    if (offsets && !llvm::all_of(*offsets, isModestOffset))
      return rewriter.notifyMatchFailure(op,
                                         "offsets that hide what they meet");
    FailureOr<Value> value = between->first.op->getOperand(0);
    for (const Step &step : llvm::reverse(between->steps))
      if (succeeded(value))
        value = moved(rewriter, step, *value, first->rows);
    if (succeeded(value))
      value = makeProduct(rewriter, *second, *value,
                          multiplied(*first, *behind), offsets);
    if (failed(value))
      return failure();
    rewriter.replaceOp(op, *value);
    return success();
  }

  static bool pays(const ChannelProduct &first, const ChannelProduct &second) {
    const int64_t data = first.dataChannels(), between = first.resultChannels(),
                  results = second.resultChannels();
    return data * results < data * between + between * results &&
           data * between * results <= mostProducts;
  }

  /// The view of the first product's data; sums come behind the second.
  static FailureOr<Value> moved(PatternRewriter &rewriter, const Step &step,
                                Value value, int64_t channels) {
    Location location = step.op->getLoc();
    if (auto transpose = dyn_cast<TransposeOp>(step.op))
      return makeTranspose(rewriter, location, value,
                           toInts(transpose.getPermutation()));
    if (!isa<ReshapeOp>(step.op))
      return value;
    SmallVector<int64_t> shape(shapeOf(step.op->getResult(0)));
    shape[step.channel] = channels;
    return makeReshape(rewriter, location, value, shape);
  }
};

struct MergeProductsPass : npu::impl::MergeProductsBase<MergeProductsPass> {
  void runOnOperation() override {
    if (failed(mergeProducts(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult npu::mergeProducts(Operation *root) {
  mlir::RewritePatternSet patterns(root->getContext());
  addViewPatterns(patterns); // views of a first product's data meet others
  patterns.add<MergeProducts>(root->getContext());
  return apply(root, std::move(patterns));
}
