// SPDX-License-Identifier: Apache-2.0
//
// npu-sink-reshapes: reshapes that merge dimensions of what a transpose gave
// move towards the results.
//
// It ends: a rewrite needs such a reshape in front of an op and leaves none of
// that op's, so an op is rewritten again only after one of its producers has
// been; no op is its own producer.
#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Fusion/FusionTraits.h"
#include "compiler/Fusion/HasAny.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Fusion/Rewrites.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace npu;
using namespace npu::rewrites;
using mlir::PatternRewriter;

namespace npu {
#define GEN_PASS_DEF_SINKRESHAPES
#include "compiler/Fusion/Passes.h.inc"
} // namespace npu

/// The extents that are merged into a dimension; of one that is none of several
/// its own.
using Parts = SmallVector<int64_t, 4>;

/// What a reshape merges into each dimension of its result; nothing where it
/// cuts some otherwise.
static std::optional<SmallVector<Parts>> partsOf(ReshapeOp op) {
  auto common =
      CommonParts::find(shapeOf(op.getInput()), shapeOf(op.getResult()));
  if (!common)
    return std::nullopt;
  SmallVector<Parts> parts;
  for (ArrayRef<int64_t> numbers : common->ofSecond) {
    Parts merged;
    for (int64_t number : numbers)
      merged.push_back(common->extents[number]);
    parts.push_back(merged.empty() ? Parts{1} : merged);
  }
  return parts;
}

static bool sinksReshapes(Operation *op) {
  auto kernel = dyn_cast<KernelOpInterface>(op);
  return kernel ? fusionTraitsOf(kernel).sinksReshapes : isElementwise(op);
}

/// How many ops behind a transpose its order is looked for.
static constexpr int mostBehind = 64;

/// Whether a value has the order of a transpose: what is merged of it may lie
/// apart.
static bool isOfTransposed(Value value) {
  for (int behind = 0; behind < mostBehind; ++behind) {
    Operation *op = value.getDefiningOp();
    if (!op || isa<TransposeOp>(op))
      return op;
    if (!isa<ReshapeOp>(op) && !sinksReshapes(op))
      return false;
    auto known = llvm::find_if(
        op->getOperands(), [](Value operand) { return !constantOf(operand); });
    if (known == op->operand_end())
      return false;
    value = *known;
  }
  return false;
}

/// Whether it is worth more dimensions to take apart what is merged into one: a
/// batch, whose matrices may lie anywhere (what repeats them, keys for several
/// heads of queries, puts them where they are wanted); rows only where they may
/// lie apart, for an array takes many of them at once.
static bool isWorthIt(ReshapeOp reshape, int64_t dim) {
  const Value data = reshape.getInput();
  const bool isBatch = dim + 2 < tensorType(reshape.getResult()).getRank();
  return (isBatch &&
          !llvm::isa_and_present<BroadcastOp>(data.getDefiningOp())) ||
         isOfTransposed(data);
}

namespace {

/// An op whose dimensions are to be taken apart again.
class Unmerged {
public:
  explicit Unmerged(LayoutOpInterface op)
      : op(op), relation(op.getLayoutRelation()) {}

  /// The parts of the flat indices that a reshape in front of an operand
  /// merges; false where there are none, or the op needs them whole.
  bool findParts();
  /// Whether an operand can be had without the merging.
  bool canTakeApart(unsigned index) const;
  FailureOr<Value> operand(OpBuilder &builder, unsigned index) const;
  /// The result's shape.
  SmallVector<int64_t> resultShape() const {
    return shape(relation.results[0], shapeOf(op->getResult(0)));
  }
  /// Where one of the result's dimensions is now, the first of its parts.
  int64_t renamed(int64_t dim) const;
  /// One entry for each dimension of the result, for each of its parts.
  SmallVector<int64_t> spread(ArrayRef<int64_t> entries) const;
  /// An index along each dimension, as one along each of its parts.
  SmallVector<int64_t> places(ArrayRef<int64_t> indices) const;
  /// That of a transpose with all dimensions taken apart.
  SmallVector<int64_t> permutation(TransposeOp op) const;

private:
  ArrayRef<int64_t> partsAt(const RelatedDim &dim) const {
    auto found = parts.find(dim.group);
    return found == parts.end() ? ArrayRef<int64_t>() : found->second;
  }
  int64_t countAt(const RelatedDim &dim) const {
    return std::max<int64_t>(1, static_cast<int64_t>(partsAt(dim).size()));
  }
  SmallVector<int64_t> shape(ArrayRef<RelatedDim> dims,
                             ArrayRef<int64_t> extents) const;
  void dropCut(ArrayRef<RelatedDim> dims, ArrayRef<int64_t> extents);
  bool hasNoneApart(unsigned index) const;
  bool isMergedAlike(unsigned index) const;

  mutable LayoutOpInterface op; // MLIR's interfaces have no const methods
  LayoutRelation relation;
  llvm::DenseMap<int, Parts> parts; // by group, of several
};

} // namespace

SmallVector<int64_t> Unmerged::shape(ArrayRef<RelatedDim> dims,
                                     ArrayRef<int64_t> extents) const {
  SmallVector<int64_t> shape;
  for (auto [dim, extent] : llvm::zip(dims, extents)) {
    ArrayRef<int64_t> several = partsAt(dim);
    if (several.empty())
      shape.push_back(extent);
    else if (extent == 1)
      shape.append(several.size(), 1);
    else
      llvm::append_range(shape, several);
  }
  return shape;
}

/// A dimension is taken apart where it is all of its group in a value, or one
/// element that is repeated.
void Unmerged::dropCut(ArrayRef<RelatedDim> dims, ArrayRef<int64_t> extents) {
  for (auto [dim, extent] : llvm::zip(dims, extents)) {
    int64_t product = 1;
    for (int64_t part : partsAt(dim))
      product *= part;
    if (extent != product && extent != 1)
      parts.erase(dim.group);
  }
}

/// The dimensions of the result that an op works along, or has many elements of
/// at once: the last is a row; rows of a product stay rows, all of them where
/// they meet one matrix.
static SmallVector<int64_t> neededWhole(Operation *op) {
  int64_t rank = tensorType(op->getResult(0)).getRank();
  SmallVector<int64_t> dims =
      llvm::TypeSwitch<Operation *, SmallVector<int64_t>>(op)
          .Case<ConcatOp, SoftmaxOp>([](auto known) {
            return SmallVector<int64_t>{static_cast<int64_t>(known.getAxis())};
          })
          .Case<TensornormOp, ReduceOp>(
              [](auto known) { return toInts(known.getAxes()); })
          .Case<MatmulOp>([&](MatmulOp product) {
            bool isOne = llvm::all_of(shapeOf(product.getB()).drop_back(2),
                                      [](int64_t d) { return d == 1; });
            return llvm::to_vector(
                llvm::seq<int64_t>(isOne ? 0 : rank - 2, rank));
          })
          .Case<GatherNdOp>([](GatherNdOp gather) {
            return llvm::to_vector(llvm::seq<int64_t>(
                0, static_cast<int64_t>(gather.getBatchDims())));
          })
          .Default(SmallVector<int64_t>());
  if (rank > 0)
    dims.push_back(rank - 1);
  return dims;
}

bool Unmerged::findParts() {
  // Without its dimensions a reduction's result has others.
  auto reduce = dyn_cast<ReduceOp>(*op);
  if (reduce && !reduce.getKeepDims())
    return false;
  for (auto [index, value] : llvm::enumerate(op->getOperands())) {
    auto reshape = value.getDefiningOp<ReshapeOp>();
    auto merged = reshape ? partsOf(reshape) : std::nullopt;
    if (!merged)
      continue;
    for (auto [dim, part] : llvm::enumerate(*merged))
      if (part.size() > 1 && isWorthIt(reshape, static_cast<int64_t>(dim)))
        parts.try_emplace(relation.operands[index][dim].group, part);
  }
  ArrayRef<RelatedDim> results = relation.results[0];
  for (int64_t dim : neededWhole(op))
    parts.erase(results[dim].group);
  for (int group = 0; group < relation.groups; ++group)
    if (llvm::none_of(results, [&](const RelatedDim &dim) {
          return dim.group == group && dim.isWhole;
        }))
      parts.erase(group);
  dropCut(results, shapeOf(op->getResult(0)));
  for (auto [index, value] : llvm::enumerate(op->getOperands()))
    dropCut(relation.operands[index], shapeOf(value));
  return !parts.empty() && resultShape().size() <= NPU_MAX_RANK;
}

/// Whether no element of the operand changes its dimension, or all are known.
bool Unmerged::hasNoneApart(unsigned index) const {
  Value value = op->getOperand(index);
  return constantOf(value) ||
         llvm::none_of(llvm::zip(relation.operands[index], shapeOf(value)),
                       [&](auto pair) {
                         auto [dim, extent] = pair;
                         return !partsAt(dim).empty() && extent != 1;
                       });
}

/// Whether the operand's own reshape merges what is to be taken apart.
bool Unmerged::isMergedAlike(unsigned index) const {
  auto reshape = op->getOperand(index).getDefiningOp<ReshapeOp>();
  auto merged = reshape ? partsOf(reshape) : std::nullopt;
  return merged && llvm::all_of(llvm::zip(relation.operands[index], *merged),
                                [&](auto pair) {
                                  auto &[dim, part] = pair;
                                  ArrayRef<int64_t> several = partsAt(dim);
                                  return several.empty() || part == Parts{1} ||
                                         ArrayRef(part) == several;
                                });
}

/// Of another view it is one more, which keeps nothing from being fused.
bool Unmerged::canTakeApart(unsigned index) const {
  return hasNoneApart(index) || isMergedAlike(index) ||
         llvm::isa_and_present<TransposeOp, ReshapeOp>(
             op->getOperand(index).getDefiningOp());
}

FailureOr<Value> Unmerged::operand(OpBuilder &builder, unsigned index) const {
  Value value = op->getOperand(index);
  SmallVector<int64_t> apart = shape(relation.operands[index], shapeOf(value));
  if (!hasNoneApart(index) && isMergedAlike(index))
    value = value.getDefiningOp<ReshapeOp>().getInput();
  return makeReshape(builder, op->getLoc(), value, apart);
}

int64_t Unmerged::renamed(int64_t dim) const {
  int64_t place = 0;
  for (const RelatedDim &before : ArrayRef(relation.results[0]).take_front(dim))
    place += countAt(before);
  return place;
}

SmallVector<int64_t> Unmerged::spread(ArrayRef<int64_t> entries) const {
  SmallVector<int64_t> spread;
  for (auto [dim, entry] : llvm::zip(relation.results[0], entries))
    spread.append(countAt(dim), entry);
  return spread;
}

SmallVector<int64_t> Unmerged::places(ArrayRef<int64_t> indices) const {
  SmallVector<int64_t> places;
  for (auto [dim, index] : llvm::zip(relation.results[0], indices)) {
    ArrayRef<int64_t> several = partsAt(dim);
    const size_t first = places.size();
    places.append(countAt(dim), index);
    int64_t rest = index;
    for (size_t part = several.size(); part-- > 0; rest /= several[part])
      places[first + part] = rest % several[part];
  }
  return places;
}

SmallVector<int64_t> Unmerged::permutation(TransposeOp op) const {
  SmallVector<int64_t> first; // of each dimension of the operand
  int64_t next = 0;
  for (const RelatedDim &dim : relation.operands[0]) {
    first.push_back(next);
    next += countAt(dim);
  }
  SmallVector<int64_t> permutation;
  for (auto [dim, from] :
       llvm::zip(relation.results[0], toInts(op.getPermutation())))
    for (int64_t part = 0; part < countAt(dim); ++part)
      permutation.push_back(first[from] + part);
  return permutation;
}

/// Gives the op's attributes, which speak of dimensions, their new names.
static void rename(Operation *op, const Unmerged &apart) {
  mlir::Builder builder(op->getContext());
  auto renameAxes = [&](auto known) {
    SmallVector<int64_t> axes;
    for (int64_t axis : toInts(known.getAxes()))
      axes.push_back(apart.renamed(axis));
    known.setAxesAttr(builder.getI64ArrayAttr(axes));
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case<ConcatOp, SoftmaxOp>([&](auto known) {
        known.setAxis(apart.renamed(static_cast<int64_t>(known.getAxis())));
      })
      .Case<TensornormOp, ReduceOp>(renameAxes)
      // What is from back to front as a whole is so in all of its parts.
      .Case<MirrorOp>([&](MirrorOp mirror) {
        SmallVector<int64_t> isTurned(tensorType(mirror.getInput()).getRank()),
            axes;
        for (int64_t axis : toInts(mirror.getAxes()))
          isTurned[axis] = 1;
        for (auto [axis, turned] : llvm::enumerate(apart.spread(isTurned)))
          if (turned)
            axes.push_back(static_cast<int64_t>(axis));
        mirror.setAxesAttr(builder.getI64ArrayAttr(axes));
      })
      // One element has a place in each part; and what is from back to front
      // begins at the end of each.
      .Case<SliceOp>([&](SliceOp slice) {
        slice.setStartsAttr(
            builder.getI64ArrayAttr(apart.places(toInts(slice.getStarts()))));
        slice.setStepsAttr(
            builder.getI64ArrayAttr(apart.spread(toInts(slice.getSteps()))));
      })
      .Case<TransposeOp>([&](TransposeOp transpose) {
        transpose.setPermutationAttr(
            builder.getI64ArrayAttr(apart.permutation(transpose)));
      });
}

namespace {

// Pattern: f(reshape(transpose(X)), reshape(Y), small) ->
//          reshape(f(transpose(X), Y, small)) where the reshapes merge the same
struct SinkBelow : mlir::OpInterfaceRewritePattern<LayoutOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(LayoutOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (!sinksReshapes(op))
      return rewriter.notifyMatchFailure(op, "reshapes do not pass");
    Unmerged apart(op);
    if (!apart.findParts())
      return rewriter.notifyMatchFailure(op, "nothing that is merged");
    for (unsigned index = 0; index < op->getNumOperands(); ++index)
      if (!apart.canTakeApart(index))
        return rewriter.notifyMatchFailure(op, "merged otherwise");
    SmallVector<Value> operands;
    for (unsigned index = 0; index < op->getNumOperands(); ++index) {
      FailureOr<Value> operand = apart.operand(rewriter, index);
      if (failed(operand))
        return failure();
      operands.push_back(*operand);
    }
    RankedTensorType type = tensorType(op->getResult(0));
    auto wider =
        RankedTensorType::get(apart.resultShape(), type.getElementType());
    Operation *clone = cloneWith(rewriter, op->getLoc(), op, operands, wider);
    rename(clone, apart);
    FailureOr<Value> result = makeReshape(rewriter, op->getLoc(),
                                          clone->getResult(0), type.getShape());
    if (failed(result))
      return failure();
    rewriter.replaceOp(op, *result);
    return success();
  }
};

struct SinkReshapesPass : npu::impl::SinkReshapesBase<SinkReshapesPass> {
  void runOnOperation() override {
    if (failed(sinkReshapes(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult npu::sinkReshapes(Operation *root) {
  if (!hasAny<ReshapeOp>(root))
    return success();
  mlir::RewritePatternSet patterns(root->getContext());
  addViewPatterns(patterns);
  patterns.add<SinkBelow>(root->getContext());
  return apply(root, std::move(patterns));
}
