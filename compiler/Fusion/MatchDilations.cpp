// SPDX-License-Identifier: Apache-2.0
//
// npu-match-dilations: a convolution of every n-th element, each phase of the
// image a batch of its own, is one dilated convolution of the image. TensorFlow
// writes dilated convolutions so: SpaceToBatch, a convolution, BatchToSpace.
//
// It is exact: with b phases, element h of phase f is element h * b + f of the
// image, so that
//   sum over m of w[m] * phase f[h + m * d - p]
//   = sum over m of w[m] * image[(h * b + f) + m * (d * b) - p * b],
// the same products; an index is outside of a phase if and only if it is
// outside of the image. Phases need stride 1.
//
// It ends: each rewrite removes a convolution whose batch holds phases. That of
// the image holds none: its batch is what lies outside of the image.
#include "compiler/Fusion/HasAny.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Fusion/Rewrites.h"
#include "compiler/Fusion/WeightedKernel.h"

#include "llvm/ADT/DenseMap.h"

using namespace npu;
using namespace npu::rewrites;
using mlir::PatternRewriter;

namespace npu {
#define GEN_PASS_DEF_MATCHDILATIONS
#include "compiler/Fusion/Passes.h.inc"
} // namespace npu

namespace {

/// A part of a dimension, with a number that it keeps wherever it goes.
struct Piece {
  int64_t number, extent;
};
using Pieces = SmallVector<Piece>;

/// The data of a convolution as a view of an image: the image's parts in memory
/// order, and which of them the dimensions of the data are.
struct Phases {
  Value image;                              // of the shape of `parts`
  SmallVector<int64_t> parts;               // extents
  SmallVector<SmallVector<int64_t, 4>> own; // of each dimension of the data
  SmallVector<int64_t> phase; // of each spatial dimension, -1: none
  SmallVector<int64_t> batch; // parts that are no phases

  int64_t phasesOf(size_t dim) const {
    return phase[dim] < 0 ? 1 : parts[phase[dim]];
  }
};

} // namespace

/// Reads data = reshape(transpose(X)): the parts of X; nothing where these are
/// no whole parts of dimensions.
static std::optional<Phases> partsOf(Value data) {
  auto reshape = data.getDefiningOp<ReshapeOp>();
  auto transpose =
      (reshape ? reshape.getInput() : data).getDefiningOp<TransposeOp>();
  if (!transpose)
    return std::nullopt;
  auto common =
      CommonParts::find(shapeOf(transpose.getResult()), shapeOf(data));
  if (!common || common->extents.size() > NPU_MAX_RANK)
    return std::nullopt;
  Phases phases;
  phases.image = transpose.getInput();
  SmallVector<int64_t> place(common->extents.size());
  for (int64_t dim : inversePermutation(toInts(transpose.getPermutation())))
    for (int64_t part : common->ofFirst[dim]) {
      place[part] = static_cast<int64_t>(phases.parts.size());
      phases.parts.push_back(common->extents[part]);
    }
  phases.own = common->ofSecond;
  for (auto &dim : phases.own)
    for (int64_t &part : dim)
      part = place[part];
  return phases;
}

/// Finds the phases: parts of the batch each of which lies directly inside of a
/// spatial dimension. What else is in the batch lies outside of all.
static bool findPhases(Phases &phases) {
  phases.batch.assign(phases.own[0].begin(), phases.own[0].end());
  for (size_t dim = 2; dim < phases.own.size(); ++dim) {
    ArrayRef<int64_t> own = phases.own[dim];
    phases.phase.push_back(-1);
    if (own.empty())
      continue;
    for (size_t i = 1; i < own.size(); ++i)
      if (own[i] != own[i - 1] + 1)
        return false;
    auto *found = llvm::find(phases.batch, own.back() + 1);
    if (found == phases.batch.end())
      continue;
    phases.phase.back() = *found;
    phases.batch.erase(found);
  }
  for (auto [i, part] : llvm::enumerate(phases.batch))
    if (part != static_cast<int64_t>(i))
      return false;
  return llvm::any_of(phases.phase, [](int64_t part) { return part >= 0; });
}

/// Follows pieces through a transpose; nothing where it cuts one.
static std::optional<Pieces> transposed(TransposeOp op, const Pieces &pieces) {
  ArrayRef<int64_t> shape = shapeOf(op.getInput());
  SmallVector<Pieces> dims(shape.size());
  const auto *next = pieces.begin();
  for (auto [dim, extent] : llvm::enumerate(shape))
    for (int64_t rest = extent; rest > 1; ++next) {
      if (next == pieces.end() || rest % next->extent != 0)
        return std::nullopt;
      rest /= next->extent;
      dims[dim].push_back(*next);
    }
  Pieces result;
  for (int64_t dim : toInts(op.getPermutation()))
    llvm::append_range(result, dims[dim]);
  return result;
}

/// Whether each first of two numbers stands directly in front of the second.
static bool areJoined(const Pieces &pieces,
                      ArrayRef<std::pair<int64_t, int64_t>> pairs) {
  return llvm::all_of(pairs, [&](auto pair) {
    for (size_t i = 1; i < pieces.size(); ++i)
      if (pieces[i - 1].number == pair.first && pieces[i].number == pair.second)
        return true;
    return false;
  });
}

/// Whether all that reads the value brings the pairs together, through nothing
/// but views.
static bool areBroughtTogether(Value value, const Pieces &pieces,
                               ArrayRef<std::pair<int64_t, int64_t>> pairs) {
  if (areJoined(pieces, pairs))
    return true;
  return !value.use_empty() &&
         llvm::all_of(value.getUsers(), [&](Operation *user) {
           if (auto reshape = dyn_cast<ReshapeOp>(user))
             return areBroughtTogether(reshape.getResult(), pieces, pairs);
           auto transpose = dyn_cast<TransposeOp>(user);
           std::optional<Pieces> moved =
               transpose ? transposed(transpose, pieces) : std::nullopt;
           return moved &&
                  areBroughtTogether(transpose.getResult(), *moved, pairs);
         });
}

/// Whether what reads the convolution's result makes an image of it again.
static bool isImageBehind(Operation *op, const Phases &phases) {
  ArrayRef<int64_t> result = shapeOf(op->getResult(0));
  Pieces pieces;
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  auto add = [&](int64_t number, int64_t extent) {
    if (extent > 1)
      pieces.push_back({number, extent});
  };
  for (int64_t part : phases.own[0])
    add(part, phases.parts[part]);
  const auto first = static_cast<int64_t>(phases.parts.size());
  for (size_t dim = 1; dim < result.size(); ++dim)
    add(first + static_cast<int64_t>(dim), result[dim]);
  for (auto [dim, phase] : llvm::enumerate(phases.phase))
    if (phase >= 0 && result[dim + 2] > 1)
      pairs.push_back({first + static_cast<int64_t>(dim) + 2, phase});
  return !pairs.empty() && areBroughtTogether(op->getResult(0), pieces, pairs);
}

/// The image with batch, channels and whole spatial dimensions in this order.
static FailureOr<Value> makeImage(PatternRewriter &rewriter, Operation *op,
                                  const Phases &phases) {
  SmallVector<int64_t> order(phases.batch), shape(shapeOf(op->getOperand(0)));
  llvm::append_range(order, phases.own[1]);
  shape[0] = 1;
  for (int64_t part : phases.batch)
    shape[0] *= phases.parts[part];
  for (size_t dim = 2; dim < shape.size(); ++dim) {
    llvm::append_range(order, phases.own[dim]);
    if (phases.phase[dim - 2] >= 0)
      order.push_back(phases.phase[dim - 2]);
    shape[dim] *= phases.phasesOf(dim - 2);
  }
  FailureOr<Value> image =
      makeReshape(rewriter, op->getLoc(), phases.image, phases.parts);
  if (succeeded(image))
    image = makeTranspose(rewriter, op->getLoc(), *image, order);
  return succeeded(image) ? makeReshape(rewriter, op->getLoc(), *image, shape)
                          : image;
}

/// What the convolution gives, of what the one of the image gives.
static FailureOr<Value> makePhases(PatternRewriter &rewriter, Operation *op,
                                   Value whole, const Phases &phases) {
  ArrayRef<int64_t> result = shapeOf(op->getResult(0));
  SmallVector<int64_t> shape, order;
  llvm::DenseMap<int64_t, int64_t> place; // of parts of the batch
  auto add = [&](int64_t extent) {
    shape.push_back(extent);
    return static_cast<int64_t>(shape.size()) - 1;
  };
  for (int64_t part : phases.batch)
    place[part] = add(phases.parts[part]);
  SmallVector<int64_t> inner = {add(result[1])};
  for (auto [dim, phase] : llvm::enumerate(phases.phase)) {
    inner.push_back(add(result[dim + 2]));
    if (phase >= 0)
      place[phase] = add(phases.parts[phase]);
  }
  for (int64_t part : phases.own[0])
    order.push_back(place[part]);
  llvm::append_range(order, inner);
  FailureOr<Value> value = makeReshape(rewriter, op->getLoc(), whole, shape);
  if (succeeded(value))
    value = makeTranspose(rewriter, op->getLoc(), *value, order);
  return succeeded(value) ? makeReshape(rewriter, op->getLoc(), *value, result)
                          : value;
}

/// The convolution of the whole image, not inserted; its data is still that of
/// the phases.
static Operation *dilated(Operation *op, const Phases &phases) {
  mlir::Builder builder(op->getContext());
  SmallVector<int64_t> shape(shapeOf(op->getResult(0))),
      dilations = toInts(op->getAttrOfType<ArrayAttr>("dilations")),
      pads = toInts(op->getAttrOfType<ArrayAttr>("pads"));
  shape[0] = 1;
  for (int64_t part : phases.batch)
    shape[0] *= phases.parts[part];
  for (size_t dim = 0; dim < dilations.size(); ++dim) {
    const int64_t count = phases.phasesOf(dim);
    shape[dim + 2] *= count;
    dilations[dim] *= count;
    pads[dim] *= count;
    pads[dilations.size() + dim] *= count;
  }
  Operation *made = op->clone();
  made->getResult(0).setType(tensorType(op->getResult(0)).clone(shape));
  made->setAttr("dilations", builder.getI64ArrayAttr(dilations));
  made->setAttr("pads", builder.getI64ArrayAttr(pads));
  return made;
}

namespace {

// Pattern: conv(phases of X as batches) -> phases of conv(X), dilated, where
//          what reads them makes an image of them
struct ConvOfPhases : mlir::OpInterfaceRewritePattern<KernelOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(KernelOpInterface op,
                                PatternRewriter &rewriter) const override {
    std::optional<WeightedKernel> kernel = weightedKernel(op);
    if (!kernel || kernel->kind != NPU_OP_CONV ||
        tensorType(op->getResult(0)).getNumElements() == 0 ||
        !llvm::all_of(toInts(op->getAttrOfType<ArrayAttr>("strides")),
                      [](int64_t stride) { return stride == 1; }))
      return rewriter.notifyMatchFailure(op, "no convolution of stride 1");
    std::optional<Phases> phases = partsOf(op->getOperand(0));
    if (!phases || !findPhases(*phases))
      return rewriter.notifyMatchFailure(op, "no phases in the batch");
    if (phases->batch.size() + phases->phase.size() * 2 + 1 > NPU_MAX_RANK ||
        !isImageBehind(op, *phases))
      return rewriter.notifyMatchFailure(op, "phases are read as such");
    return replace(op, *phases, rewriter);
  }

  static LogicalResult replace(Operation *op, const Phases &phases,
                               PatternRewriter &rewriter) {
    FailureOr<Value> image = makeImage(rewriter, op, phases);
    if (failed(image))
      return failure();
    Operation *whole = dilated(op, phases);
    whole->setOperand(0, *image);
    rewriter.insert(whole);
    FailureOr<Value> result =
        makePhases(rewriter, op, whole->getResult(0), phases);
    if (failed(result))
      return failure();
    rewriter.replaceOp(op, *result);
    return success();
  }
};

struct MatchDilationsPass : npu::impl::MatchDilationsBase<MatchDilationsPass> {
  void runOnOperation() override {
    if (failed(matchDilations(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult npu::matchDilations(Operation *root) {
  if (!hasAny<TransposeOp>(root))
    return success();
  mlir::RewritePatternSet patterns(root->getContext());
  addViewPatterns(patterns);
  patterns.add<ConvOfPhases>(root->getContext());
  return apply(root, std::move(patterns));
}
