// SPDX-License-Identifier: Apache-2.0
//
// npu-split-products: of a product or convolution that only parts of are read,
// each part is one of its own, by its part of the weights: queries, keys and
// values that one matrix makes, the two halves of a gate. The parts then need
// no copy.
//
// It ends: each rewrite removes slices of several rows; those that it makes are
// of constants, or of one row, behind which nothing is split.
#include "compiler/Fusion/Passes.h"
#include "compiler/Fusion/PreferredLayouts.h"
#include "compiler/Fusion/Rewrites.h"
#include "compiler/Fusion/TargetOption.h"
#include "compiler/Fusion/WeightedKernel.h"

using namespace npu;
using namespace npu::rewrites;
using mlir::PatternRewriter;
using mlir::ShapedType;

namespace npu {
#define GEN_PASS_DEF_SPLITPRODUCTS
#include "compiler/Fusion/Passes.h.inc"
} // namespace npu

namespace {

/// An op between a product and the slices of it, or the product: the dimension
/// of its result that the slices cut, how many of its elements one of theirs
/// is, and in how many stretches of it they cut alike: of each head a third.
struct Step {
  Operation *op;
  unsigned operand; // that the step before gives; of the product its data
  int64_t dim, times, stretches;

  Part partOf(const Part &slice) const {
    return {dim, slice.begin * times, slice.extent * times, stretches};
  }
};

} // namespace

/// What a slice takes, if it cuts one dimension into a run of elements.
static std::optional<Part> cutOf(SliceOp slice) {
  std::optional<Part> cut;
  ArrayRef<int64_t> whole = shapeOf(slice.getInput()),
                    part = shapeOf(slice.getResult());
  if (!llvm::all_of(toInts(slice.getSteps()),
                    [](int64_t step) { return step == 1; }))
    return std::nullopt;
  for (auto [dim, start] : llvm::enumerate(toInts(slice.getStarts()))) {
    if (whole[dim] == part[dim])
      continue;
    if (cut)
      return std::nullopt;
    cut = Part{static_cast<int64_t>(dim), start, part[dim]};
  }
  return cut;
}

/// Goes from a reshape's result to its operand, of one dimension of which the
/// cut one is a part; false where there is none.
static bool passReshape(ReshapeOp reshape, Step &step) {
  ArrayRef<int64_t> from = shapeOf(reshape.getInput()),
                    to = shapeOf(reshape.getResult());
  const int64_t outside = ShapedType::getNumElements(to.take_front(step.dim));
  int64_t before = 1;
  for (auto [dim, extent] : llvm::enumerate(from)) {
    const int64_t outer = outside / before, own = outer * to[step.dim];
    if (extent == 1 || outer >= extent) {
      before *= extent;
      continue;
    }
    if (outside % before != 0 || extent % own != 0)
      return false;
    step.times *= extent / own;
    step.stretches *= outer;
    step.dim = static_cast<int64_t>(dim);
    return true;
  }
  return false;
}

/// The dimension of an operand that broadcasts to the result's; nothing where
/// all elements along that read the same.
static std::optional<int64_t> broadcastDim(Operation *op, Value operand,
                                           int64_t dim) {
  const int64_t own = dim - (tensorType(op->getResult(0)).getRank() -
                             tensorType(operand).getRank());
  if (own < 0 || shapeOf(operand)[own] == 1)
    return std::nullopt;
  return own;
}

/// Whether parts of the operand along its dimension need no copy: of a constant
/// or of one row, as what a zero point adds to each column.
static bool isFree(Value operand, int64_t dim) {
  return constantOf(operand) ||
         tensorType(operand).getNumElements() == shapeOf(operand)[dim];
}

/// Goes from the result of an elementwise op to the one operand that is cut,
/// beside those whose parts are free and what is the same for all cuts.
static bool passElementwise(Operation *op, Step &step) {
  std::optional<unsigned> cut;
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    std::optional<int64_t> dim = broadcastDim(op, operand, step.dim);
    if (!dim || isFree(operand, *dim))
      continue;
    if (cut)
      return false;
    cut = static_cast<unsigned>(index);
  }
  if (!cut)
    return false;
  step.operand = *cut;
  step.dim = *broadcastDim(op, op->getOperand(*cut), step.dim);
  return true;
}

/// The dimension of a product's operand that its results are cut along; nothing
/// where it is whole for all of them.
static std::optional<int64_t> weightDim(Operation *op, unsigned index) {
  const WeightedKernel kernel = *weightedKernel(op);
  ArrayRef<int64_t> weight = shapeOf(op->getOperand(1));
  ArrayRef<int64_t> own = shapeOf(op->getOperand(index));
  const int64_t columns = weight[kernel.weightChannel];
  const int64_t dim = index == 1         ? kernel.weightChannel
                      : kernel.takesBias ? 0
                                         : static_cast<int64_t>(own.size()) - 1;
  if (index == 0 || dim < 0 || own[dim] != columns)
    return std::nullopt;
  return dim;
}

/// Whether it is a product or convolution by constants, the weight its own,
/// whose columns or channels are the dimension that is cut.
static bool isProduct(const Step &step) {
  std::optional<WeightedKernel> kernel = weightedKernel(step.op);
  return kernel &&
         (kernel->kind == NPU_OP_MATMUL || kernel->kind == NPU_OP_CONV) &&
         kernel->groups == 1 && kernel->resultChannel == step.dim &&
         step.op->getOperand(1).hasOneUse() &&
         llvm::all_of(step.op->getOperands().drop_front(),
                      [](Value operand) { return constantOf(operand); });
}

/// From what is cut up to the product; nothing where none is, or something else
/// reads a value on the way.
static std::optional<SmallVector<Step>> stepsTo(Value value, int64_t dim) {
  SmallVector<Step> steps;
  Step step{value.getDefiningOp(), 0, dim, 1, 1};
  while (step.op) {
    steps.push_back(step);
    if (isProduct(step))
      return steps;
    step.operand = 0;
    bool passes = false;
    if (auto reshape = dyn_cast<ReshapeOp>(step.op))
      passes = passReshape(reshape, step);
    else if (isElementwise(step.op))
      passes = passElementwise(step.op, step);
    else if (auto transpose = dyn_cast<TransposeOp>(step.op)) {
      step.dim = toInts(transpose.getPermutation())[step.dim];
      passes = true;
    }
    steps.back().operand = step.operand;
    Value from = passes ? step.op->getOperand(step.operand) : Value();
    if (!from || !from.hasOneUse())
      return std::nullopt;
    step.op = from.getDefiningOp();
  }
  return std::nullopt;
}

static int64_t bitsOf(Value value) {
  RankedTensorType type = tensorType(value);
  return type.getNumElements() *
         static_cast<int64_t>(type.getElementTypeBitWidth());
}

/// Whether a result of the network is a part of channels: it has the model's
/// order, into which one relayout in front of the slices brings all of them.
static bool shareRelayout(ArrayRef<SliceOp> slices, const Step &top) {
  return weightedKernel(top.op)->kind == NPU_OP_CONV &&
         llvm::any_of(slices, [](SliceOp slice) {
           return llvm::any_of(slice->getUsers(), [](Operation *user) {
             return user->hasTrait<mlir::OpTrait::IsTerminator>();
           });
         });
}

/// Whether parts of the result lie apart, so that slices copy: some dimension
/// is stored outside of the one that is cut. Columns of a product do in any
/// order: where a chip has them in front of the rows, heads are brought
/// together behind it. Channels do unless the target has them in front of the
/// image.
static bool liesApart(const TargetSpec *target, const Step &top) {
  auto op = llvm::cast<LayoutOpInterface>(top.op);
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  LayoutAttr layout;
  if (target && weightedKernel(op)->kind == NPU_OP_CONV)
    layout = preferredResult(*target, op, op.getLayoutRelation());
  if (!layout)
    return ShapedType::getNumElements(shape) > shape[top.dim];
  for (int64_t dim : layout.getOrder()) {
    if (dim == top.dim)
      return false;
    if (shape[dim] > 1)
      return true;
  }
  return false;
}

/// Each product reads the data again; each slice is read and written.
static bool isWorthIt(ArrayRef<SliceOp> slices, const Step &top) {
  int64_t copied = 0;
  for (SliceOp slice : slices)
    copied += 2 * bitsOf(slice.getResult());
  const int64_t again = static_cast<int64_t>(slices.size()) - 1;
  return again * bitsOf(top.op->getOperand(0)) < copied;
}

/// The operands of a step for a part.
static FailureOr<SmallVector<Value>> operandsFor(OpBuilder &builder,
                                                 const Step &step, Value before,
                                                 const Part &part) {
  const bool isTop = !before;
  SmallVector<Value> operands(step.op->getOperands());
  for (auto [index, operand] : llvm::enumerate(operands)) {
    const auto place = static_cast<unsigned>(index);
    if (!isTop && place == step.operand) {
      operand = before;
      continue;
    }
    std::optional<int64_t> dim = isTop
                                     ? weightDim(step.op, place)
                                     : broadcastDim(step.op, operand, step.dim);
    if (!dim)
      continue;
    FailureOr<Value> own =
        makePart(builder, operand.getLoc(), operand,
                 {*dim, part.begin, part.extent, part.stretches});
    if (failed(own))
      return failure();
    operand = *own;
  }
  return operands;
}

/// What a step makes of a part; `before`: of the step above it, null at the
/// product.
static FailureOr<Value> makePartOf(OpBuilder &builder, const Step &step,
                                   Value before, const Part &part) {
  RankedTensorType type = tensorType(step.op->getResult(0));
  SmallVector<int64_t> shape(type.getShape());
  shape[step.dim] = part.size();
  const Location location = step.op->getLoc();
  if (isa<ReshapeOp>(step.op))
    return makeReshape(builder, location, before, shape);
  if (auto transpose = dyn_cast<TransposeOp>(step.op))
    return makeTranspose(builder, location, before,
                         toInts(transpose.getPermutation()));
  FailureOr<SmallVector<Value>> operands =
      operandsFor(builder, step, before, part);
  if (failed(operands))
    return failure();
  return cloneWith(builder, location, step.op, *operands, type.clone(shape))
      ->getResult(0);
}

/// What a slice takes, made of its part of the product.
static FailureOr<Value> partFor(PatternRewriter &rewriter, SliceOp slice,
                                ArrayRef<Step> steps) {
  const Part cut = *cutOf(slice);
  FailureOr<Value> value = Value();
  rewriter.setInsertionPoint(slice);
  for (const Step &step : llvm::reverse(steps)) {
    value = makePartOf(rewriter, step, *value, step.partOf(cut));
    if (failed(value))
      return failure();
  }
  return value;
}

namespace {

// Pattern: slice(f(matmul(X, W))) -> f(matmul(X, slice(W))) for all that read f
struct SplitProduct : mlir::OpRewritePattern<SliceOp> {
  SplitProduct(MLIRContext *context, const TargetSpec *target)
      : OpRewritePattern(context), target(target) {}

  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<SliceOp> slices;
    std::optional<Part> first = cutOf(op);
    int64_t taken = 0;
    for (Operation *user : op.getInput().getUsers()) {
      auto slice = dyn_cast<SliceOp>(user);
      std::optional<Part> cut = slice ? cutOf(slice) : std::nullopt;
      if (!cut || !first || cut->dim != first->dim)
        return rewriter.notifyMatchFailure(op, "not only parts are read");
      taken += cut->extent;
      slices.push_back(slice);
    }
    if (taken > shapeOf(op.getInput())[first->dim])
      return rewriter.notifyMatchFailure(op, "parts that overlap");
    auto steps = stepsTo(op.getInput(), first->dim);
    if (!steps || shareRelayout(slices, steps->back()) ||
        !liesApart(target, steps->back()) || !isWorthIt(slices, steps->back()))
      return rewriter.notifyMatchFailure(op, "no product that is split");
    SmallVector<Value> parts;
    for (SliceOp slice : slices) {
      FailureOr<Value> part = partFor(rewriter, slice, *steps);
      if (failed(part))
        return failure();
      parts.push_back(*part);
    }
    for (auto [slice, part] : llvm::zip(slices, parts))
      rewriter.replaceOp(slice, part);
    return success();
  }

private:
  const TargetSpec *target; // null: none
};

struct SplitProductsPass
    : PassOfTarget<npu::impl::SplitProductsBase<SplitProductsPass>> {
  using PassOfTarget::PassOfTarget;

  void runOnOperation() override {
    if (failed(splitProducts(getOperation(), spec.get())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult npu::splitProducts(Operation *root, const TargetSpec *target) {
  mlir::RewritePatternSet patterns(root->getContext());
  patterns.add<SplitProduct>(root->getContext(), target);
  return apply(root, std::move(patterns));
}

std::unique_ptr<mlir::Pass> npu::createSplitProducts(const TargetSpec *target) {
  return std::make_unique<SplitProductsPass>(target);
}
