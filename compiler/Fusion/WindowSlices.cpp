// SPDX-License-Identifier: Apache-2.0
//
// Patterns of npu-fold-pad on slices around windows: what crops the data, or
// picks every second element of it, is stride, dilation and padding of the
// convolution that reads it, or that makes it.
//
// They are exact: each element of a result sums the same products as before.
// Element r of what is sliced is element start + step * r of the data, so that
// window element m of result j reads
//   start + step * (j * stride + m * dilation - pads),
// which is a window of the data itself. A read that was padding must be padding
// still: outside of the data at the same end, or not there at all.
#include "compiler/Fusion/FusionTraits.h"
#include "compiler/Fusion/Rewrites.h"
#include "compiler/Fusion/WeightedKernel.h"
#include "compiler/Kernel/KernelProblem.h"

using namespace npu;
using namespace npu::rewrites;
using mlir::OpRewritePattern;
using mlir::PatternRewriter;

namespace {

/// How the windows of an op lie on its data; one entry for each spatial
/// dimension.
struct Geometry {
  SmallVector<int64_t> window, strides, dilations, begins, ends;

  size_t dims() const { return strides.size(); }
  bool moves(size_t dim, int64_t data, int64_t results);
};

/// One spatial dimension of a slice.
struct Cut {
  int64_t start, step, whole, extent;

  bool isAll() const { return step == 1 && extent == whole; }
};

} // namespace

/// Sets the padding at the end to the least that gives so many results of so
/// many elements; false where none does.
bool Geometry::moves(size_t dim, int64_t data, int64_t results) {
  const int64_t span = (window[dim] - 1) * dilations[dim] + 1,
                needed =
                    (results - 1) * strides[dim] + span - data - begins[dim];
  ends[dim] = std::max<int64_t>(0, needed);
  const int64_t room = data + begins[dim] + ends[dim] - span;
  return room >= 0 && room / strides[dim] + 1 == results;
}

/// Of convolution or pooling; nothing of another op.
static std::optional<Geometry> geometryOf(Operation *op) {
  auto kernel = dyn_cast<KernelOpInterface>(op);
  if (!kernel || !fusionTraitsOf(kernel).takesPads)
    return std::nullopt;
  Geometry geometry;
  if (auto window = op->getAttrOfType<ArrayAttr>("kernel"))
    geometry.window = toInts(window);
  else if (weightedKernel(op))
    geometry.window =
        SmallVector<int64_t>(shapeOf(op->getOperand(1)).drop_front(2));
  else
    return std::nullopt;
  geometry.strides = toInts(op->getAttrOfType<ArrayAttr>("strides"));
  geometry.dilations = toInts(op->getAttrOfType<ArrayAttr>("dilations"));
  SmallVector<int64_t> pads = toInts(op->getAttrOfType<ArrayAttr>("pads"));
  geometry.begins.assign(pads.begin(), pads.begin() + geometry.dims());
  geometry.ends.assign(pads.begin() + geometry.dims(), pads.end());
  return geometry;
}

/// What a slice takes of the spatial dimensions; nothing where it runs
/// backwards, or takes part of the batch or of the channels.
static std::optional<SmallVector<Cut>> spatialCuts(SliceOp slice) {
  ArrayRef<int64_t> whole = shapeOf(slice.getInput()),
                    part = shapeOf(slice.getResult());
  SmallVector<int64_t> starts = toInts(slice.getStarts()),
                       steps = toInts(slice.getSteps());
  SmallVector<Cut> cuts;
  if (whole.size() < 3 || tensorType(slice.getResult()).getNumElements() == 0)
    return std::nullopt;
  for (size_t dim = 0; dim < whole.size(); ++dim) {
    Cut cut{starts[dim], steps[dim], whole[dim], part[dim]};
    if (cut.step < 1 || (dim < 2 && !cut.isAll()))
      return std::nullopt;
    if (dim >= 2)
      cuts.push_back(cut);
  }
  return cuts;
}

/// The op with this data and geometry; not inserted.
static Operation *withGeometry(Operation *op, Value data, Type result,
                               const Geometry &geometry) {
  mlir::Builder builder(op->getContext());
  SmallVector<int64_t> pads(geometry.begins);
  llvm::append_range(pads, geometry.ends);
  Operation *made = op->clone();
  made->setOperand(0, data);
  made->getResult(0).setType(result);
  made->setAttr("strides", builder.getI64ArrayAttr(geometry.strides));
  made->setAttr("dilations", builder.getI64ArrayAttr(geometry.dilations));
  made->setAttr("pads", builder.getI64ArrayAttr(pads));
  return made;
}

/// The op with this data and geometry, or null where no kernel takes it.
static Operation *makeTaken(Operation *op, Value data, Type result,
                            const Geometry &geometry) {
  Operation *made = withGeometry(op, data, result, geometry);
  if (kernels::validate(makeProblem(made, /*threads=*/1)).empty())
    return made;
  made->destroy();
  return nullptr;
}

/// Changes one dimension of an op's geometry so that it reads what a slice of
/// its data takes from the whole data; false where that would read something
/// else.
static bool readWhole(Geometry &geometry, size_t dim, const Cut &cut,
                      int64_t results) {
  const int64_t window = geometry.window[dim], begin = geometry.begins[dim],
                last = (results - 1) * geometry.strides[dim] +
                       (window - 1) * geometry.dilations[dim] - begin;
  // In front of the slice: padding, which must not be data.
  if (cut.start >= cut.step || (cut.start > 0 && begin == 0))
    return false;
  if (last >= cut.extent && cut.start + cut.step * cut.extent < cut.whole)
    return false;
  geometry.begins[dim] = cut.step * begin - cut.start;
  geometry.strides[dim] *= cut.step;
  if (window > 1)
    geometry.dilations[dim] *= cut.step;
  return geometry.moves(dim, cut.whole, results);
}

/// Of pooling: only elements that no window reads may be back.
static bool poolsWhole(Geometry &geometry, size_t dim, const Cut &cut,
                       int64_t results) {
  const int64_t last = (results - 1) * geometry.strides[dim] +
                       (geometry.window[dim] - 1) * geometry.dilations[dim] -
                       geometry.begins[dim];
  if (cut.start != 0 || cut.step != 1 || last >= cut.extent)
    return false;
  return geometry.moves(dim, cut.whole, results);
}

/// The op without the slice in front of it, not inserted; null where there is
/// none.
static Operation *withoutSlice(Operation *op, SliceOp slice) {
  std::optional<Geometry> geometry = geometryOf(op);
  std::optional<SmallVector<Cut>> cuts = spatialCuts(slice);
  if (!geometry || !cuts || op->getOperand(0) != slice.getResult() ||
      llvm::is_contained(op->getOperands().drop_front(), slice.getResult()))
    return nullptr;
  const bool isConv = weightedKernel(op).has_value();
  Value result = op->getResult(0);
  for (auto [dim, cut] : llvm::enumerate(*cuts)) {
    if (cut.isAll())
      continue;
    const int64_t results = shapeOf(result)[dim + 2];
    if (isConv ? !readWhole(*geometry, dim, cut, results)
               : !poolsWhole(*geometry, dim, cut, results))
      return nullptr;
  }
  return makeTaken(op, slice.getInput(), result.getType(), *geometry);
}

namespace {

// Pattern: conv(slice(X)) -> conv(X) with the slice's steps and other padding
// Pattern: pool(slice(X)) -> pool(X), where no window reaches what is cut off
struct SliceInFront : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp slice,
                                PatternRewriter &rewriter) const override {
    SmallVector<Operation *> made;
    SmallVector<Operation *> users(slice->getUsers());
    for (Operation *user : users)
      if (Operation *whole = withoutSlice(user, slice))
        made.push_back(whole);
    if (users.empty() || made.size() != users.size()) {
      for (Operation *op : made)
        op->destroy();
      return rewriter.notifyMatchFailure(slice, "read as it is");
    }
    for (auto [user, whole] : llvm::zip(users, made)) {
      rewriter.setInsertionPoint(user);
      whole->setLoc(fuseLocations({slice, user}));
      rewriter.insert(whole);
      rewriter.replaceOp(user, whole->getResults());
    }
    return success();
  }
};

// Pattern: slice(conv(X)) -> conv(X) with the slice's steps and less padding
struct SliceBehind : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp slice,
                                PatternRewriter &rewriter) const override {
    Operation *op = slice.getInput().getDefiningOp();
    std::optional<WeightedKernel> kernel = weightedKernel(op);
    if (!kernel || kernel->kind != NPU_OP_CONV || !op->hasOneUse())
      return rewriter.notifyMatchFailure(slice, "no convolution of its own");
    std::optional<Geometry> geometry = geometryOf(op);
    std::optional<SmallVector<Cut>> cuts = spatialCuts(slice);
    if (!geometry || !cuts)
      return rewriter.notifyMatchFailure(slice, "no part of the image");
    for (auto [dim, cut] : llvm::enumerate(*cuts)) {
      if (cut.isAll())
        continue;
      geometry->begins[dim] -= cut.start * geometry->strides[dim];
      geometry->strides[dim] *= cut.step;
      if (geometry->begins[dim] < 0 ||
          !geometry->moves(dim, shapeOf(op->getOperand(0))[dim + 2],
                           cut.extent))
        return rewriter.notifyMatchFailure(slice, "cuts off data");
    }
    Operation *made = makeTaken(op, op->getOperand(0),
                                slice.getResult().getType(), *geometry);
    if (!made)
      return rewriter.notifyMatchFailure(slice, "no kernel takes it");
    made->setLoc(fuseLocations({op, slice}));
    rewriter.insert(made);
    rewriter.replaceOp(slice, made->getResults());
    return success();
  }
};

// Pattern: reshape(pad(X)) that moves unit dimensions only -> pad(reshape(X))
//          where none of them is padded: the pad meets its convolution
struct PadBehindReshape : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto pad = op.getInput().getDefiningOp<PadOp>();
    if (!pad || !pad->hasOneUse())
      return rewriter.notifyMatchFailure(op, "no padding of its own");
    ArrayRef<int64_t> from = shapeOf(pad.getResult()),
                      to = shapeOf(op.getResult());
    SmallVector<size_t> own = longDims(from), other = longDims(to);
    SmallVector<int64_t> amounts = toInts(pad.getPads()),
                         moved(2 * to.size(), 0), shape(to);
    if (!llvm::equal(own, other,
                     [&](size_t a, size_t b) { return from[a] == to[b]; }))
      return rewriter.notifyMatchFailure(op, "another shape");
    for (size_t dim = 0; dim < from.size(); ++dim)
      if (from[dim] == 1 &&
          (amounts[dim] != 0 || amounts[from.size() + dim] != 0))
        return rewriter.notifyMatchFailure(op, "pads what it moves");
    for (auto [a, b] : llvm::zip(own, other)) {
      moved[b] = amounts[a];
      moved[to.size() + b] = amounts[from.size() + a];
      shape[b] = shapeOf(pad.getInput())[a];
    }
    FailureOr<Value> input =
        makeReshape(rewriter, op.getLoc(), pad.getInput(), shape);
    if (failed(input))
      return failure();
    Operation *made = cloneWith(rewriter, pad.getLoc(), pad, *input,
                                op.getResult().getType());
    made->setAttr("pads", rewriter.getI64ArrayAttr(moved));
    rewriter.replaceOp(op, made);
    return success();
  }
};

} // namespace

void rewrites::addWindowSlicePatterns(mlir::RewritePatternSet &patterns) {
  patterns.add<SliceInFront, SliceBehind, PadBehindReshape>(
      patterns.getContext());
}
