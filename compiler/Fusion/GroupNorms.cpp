// SPDX-License-Identifier: Apache-2.0
//
// Patterns on normalisations of merged dimensions: exporters write a norm of
// groups of channels as one of instances between two reshapes, which tie the
// image to the model's order.
#include "compiler/Fusion/Rewrites.h"

#include "llvm/ADT/BitVector.h"

#include <algorithm>

using namespace npu;
using namespace npu::rewrites;
using mlir::OpRewritePattern;
using mlir::PatternRewriter;

namespace {

/// A normalisation of merged dimensions, in terms of those that were merged.
class UnmergedNorm {
public:
  /// Nothing where the norm does not cut the data into whole dimensions and the
  /// groups of one.
  static std::optional<UnmergedNorm> find(TensornormOp norm,
                                          ArrayRef<int64_t> shape);

  ArrayRef<int64_t> getAxes() const { return axes; }
  int64_t getGroups() const { return groups; }

  /// The norm's scale or bias, known numbers of merged dimensions, for those
  /// that were merged; null stays so.
  FailureOr<Value> parameter(PatternRewriter &rewriter, Location location,
                             Value value) const;

private:
  bool addDim(int64_t dim, const llvm::BitVector &isNormed);

  CommonParts parts; // of the data, and of what the norm reads
  SmallVector<int64_t> axes;
  int64_t groups = 1;
};

} // namespace

/// Takes in one dimension of the data; false where the norm cuts it otherwise
/// than into groups, or another one was cut.
bool UnmergedNorm::addDim(int64_t dim, const llvm::BitVector &isNormed) {
  ArrayRef<int64_t> own = parts.ofFirst[dim];
  const int64_t *first =
      llvm::find_if(own, [&](int64_t part) { return isNormed.test(part); });
  if (first == own.end())
    return true;
  if (!std::all_of(first, own.end(),
                   [&](int64_t part) { return isNormed.test(part); }))
    return false;
  if (first == own.begin()) {
    axes.push_back(dim);
    return true;
  }
  if (groups != 1)
    return false;
  for (const int64_t *part = own.begin(); part != first; ++part)
    groups *= parts.extents[*part];
  axes.insert(axes.begin(), dim);
  return true;
}

std::optional<UnmergedNorm> UnmergedNorm::find(TensornormOp norm,
                                               ArrayRef<int64_t> shape) {
  auto parts = CommonParts::find(shape, shapeOf(norm.getInput()));
  if (!parts || norm.getGroups() != 1)
    return std::nullopt;
  llvm::BitVector isNormed(parts->extents.size());
  for (int64_t axis : toInts(norm.getAxes()))
    for (int64_t part : parts->ofSecond[axis])
      isNormed.set(part);
  UnmergedNorm found;
  found.parts = std::move(*parts);
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (!found.addDim(static_cast<int64_t>(dim), isNormed))
      return std::nullopt;
  if (found.axes.empty())
    return std::nullopt;
  return found;
}

FailureOr<Value> UnmergedNorm::parameter(PatternRewriter &rewriter,
                                         Location location, Value value) const {
  if (!value)
    return value;
  if (std::optional<float> number = scalarOf(value))
    return makeFloats(rewriter, location, {}, {*number});
  // The parts that it has numbers for.
  llvm::BitVector isOwn(parts.extents.size());
  ArrayRef<int64_t> extents = shapeOf(value);
  ArrayRef<SmallVector<int64_t, 4>> merged =
      ArrayRef(parts.ofSecond).take_back(extents.size());
  for (auto [extent, numbers] : llvm::zip(extents, merged))
    for (int64_t part : numbers)
      if (extent != 1)
        isOwn.set(part);
  // Those of one dimension are all there, or none.
  SmallVector<int64_t> own, repeated, shape;
  for (ArrayRef<int64_t> numbers : parts.ofFirst) {
    bool isAny =
        llvm::any_of(numbers, [&](int64_t p) { return isOwn.test(p); });
    shape.push_back(1);
    for (int64_t part : numbers) {
      own.push_back(isOwn.test(part) ? parts.extents[part] : 1);
      repeated.push_back(isAny ? parts.extents[part] : 1);
      shape.back() *= repeated.back();
    }
  }
  FailureOr<Value> wide = makeReshape(rewriter, location, value, own);
  if (failed(wide))
    return failure();
  const std::vector<float> ones(mlir::ShapedType::getNumElements(repeated),
                                1.0f);
  wide = makeEltwise(rewriter, location, NPU_INSTR_mul,
                     {*wide, makeFloats(rewriter, location, repeated, ones)});
  if (failed(wide))
    return failure();
  return makeReshape(rewriter, location, *wide, shape);
}

/// Whether a scale or bias is left out, or its numbers are known.
static bool isKnown(Value parameter) {
  return !parameter || (constantOf(parameter) && isF32(parameter));
}

namespace {

// Pattern: reshape(tensornorm(reshape(X))) of X's shape -> tensornorm(X), of
//          groups where the first reshape cuts a dimension into them
struct UnmergeNorm : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto norm = op.getInput().getDefiningOp<TensornormOp>();
    auto before =
        norm ? norm.getInput().getDefiningOp<ReshapeOp>() : ReshapeOp();
    if (!before || !norm->hasOneUse() ||
        before.getInput().getType() != op.getResult().getType())
      return rewriter.notifyMatchFailure(op, "no norm between two reshapes");
    if (!isKnown(norm.getScale()) || !isKnown(norm.getBias()))
      return rewriter.notifyMatchFailure(op, "scale or bias is computed");
    Value data = before.getInput();
    auto unmerged = UnmergedNorm::find(norm, shapeOf(data));
    if (!unmerged)
      return rewriter.notifyMatchFailure(op, "a norm of parts of dimensions");
    FailureOr<Value> scale =
        unmerged->parameter(rewriter, norm.getLoc(), norm.getScale());
    FailureOr<Value> bias =
        unmerged->parameter(rewriter, norm.getLoc(), norm.getBias());
    if (failed(scale) || failed(bias))
      return failure();
    rewriter.replaceOpWithNewOp<TensornormOp>(
        op, op.getResult().getType(), data, *scale, *bias,
        rewriter.getI64ArrayAttr(unmerged->getAxes()), norm.getEpsilonAttr(),
        rewriter.getI64IntegerAttr(unmerged->getGroups()),
        norm.getCenteredAttr());
    return success();
  }
};

} // namespace

void rewrites::addGroupNormPatterns(mlir::RewritePatternSet &patterns) {
  patterns.add<UnmergeNorm>(patterns.getContext());
}
