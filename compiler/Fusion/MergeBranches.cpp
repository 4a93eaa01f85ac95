// SPDX-License-Identifier: Apache-2.0
//
// npu-merge-branches: convolutions of the same data whose results are added are
// one convolution. Each rewrite removes an addition, so the pass ends.
#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ScaledNumbers.h"
#include "compiler/Fusion/ChannelAffine.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Fusion/Rewrites.h"
#include "compiler/Fusion/WeightedKernel.h"

using namespace npu;
using namespace npu::rewrites;
using mlir::OpRewritePattern;
using mlir::PatternRewriter;

namespace npu {
#define GEN_PASS_DEF_MERGEBRANCHES
#include "compiler/Fusion/Passes.h.inc"
} // namespace npu

namespace {

/// A convolution of f32 that nothing but the sum reads.
struct Branch {
  Operation *op = nullptr;
  npu_conv_attrs attrs = {};
  Floats weight, bias; // as readWeights() finds them, of every channel

  Value data() const { return op->getOperand(0); }
  /// Results, channels of a group, the window.
  ArrayRef<int64_t> shape() const { return shapeOf(op->getOperand(1)); }
  size_t dims() const { return shape().size() - 2; }
  int64_t taps() const { return innerCount(shape(), 1); }
};

} // namespace

static std::optional<Branch> branchOf(Value value) {
  Branch branch;
  branch.op = value.getDefiningOp();
  std::optional<WeightedKernel> kernel = weightedKernel(branch.op);
  if (!kernel || kernel->kind != NPU_OP_CONV || !value.hasOneUse() ||
      !isF32(value) || !isF32(branch.data()))
    return std::nullopt;
  npu_attrs attributes = {};
  cast<KernelOpInterface>(branch.op).getKernel(attributes);
  branch.attrs = attributes.conv;
  return branch;
}

/// Whether they are constants, and not a narrower type's numbers: sums of those
/// are none.
static bool readWeights(Branch &branch) {
  std::optional<Floats> weight = floatsOf(branch.op->getOperand(1));
  if (!weight || findScaledNumbers(*weight, branch.shape()))
    return false;
  branch.weight = std::move(*weight);
  branch.bias.resize(branch.shape()[0]);
  if (branch.op->getNumOperands() < 3)
    return true;
  std::optional<Floats> bias = floatsOf(branch.op->getOperand(2));
  if (!bias || !llvm::all_of(*bias, isModestOffset))
    return false;
  branch.bias = std::move(*bias);
  return true;
}

/// Which column of a window, of dimension `dim`, meets the data that column
/// `from` of the other's meets; -1: none.
static int64_t columnIn(const Branch &branch, size_t dim, const Branch &other,
                        int64_t from) {
  const int64_t place = branch.attrs.pads_begin[dim] -
                        other.attrs.pads_begin[dim] +
                        from * other.attrs.dilations[dim],
                step = branch.attrs.dilations[dim];
  const bool isIn =
      place >= 0 && place % step == 0 && place / step < branch.shape()[dim + 2];
  return isIn ? place / step : -1;
}

/// For each tap of `other` the tap of `branch` that meets the same data;
/// nothing where one has none.
static std::optional<SmallVector<int64_t>> tapsIn(const Branch &branch,
                                                  const Branch &other) {
  SmallVector<int64_t> taps;
  for (int64_t tap = 0; tap < other.taps(); ++tap) {
    int64_t at = 0, rest = tap, inner = 1;
    for (size_t dim = other.dims(); dim-- > 0;) {
      const int64_t extent = other.shape()[dim + 2],
                    column = columnIn(branch, dim, other, rest % extent);
      if (column < 0)
        return std::nullopt;
      at += column * inner;
      inner *= branch.shape()[dim + 2];
      rest /= extent;
    }
    taps.push_back(at);
  }
  return taps;
}

/// Writes `branch` in place of the sum with what was added to it.
static LogicalResult replaceSum(PatternRewriter &rewriter, EltwiseOp sum,
                                const Branch &branch,
                                ArrayRef<Operation *> merged) {
  if (!llvm::all_of(branch.weight, isModestWeight) ||
      !llvm::all_of(branch.bias, isModestOffset))
    return rewriter.notifyMatchFailure(sum, "weights that may overflow");
  Location location = branch.op->getOperand(1).getLoc();
  Value operands[] = {
      branch.data(),
      makeFloats(rewriter, location, branch.shape(), branch.weight),
      makeFloats(rewriter, location, {branch.shape()[0]}, branch.bias)};
  SmallVector<Operation *> named(merged);
  named.push_back(sum);
  Operation *whole = cloneWith(rewriter, fuseLocations(named), branch.op,
                               operands, sum.getResult().getType());
  rewriter.replaceOp(sum, whole);
  for (Operation *op : merged)
    rewriter.eraseOp(op);
  return success();
}

/// Both operands of an addition of f32 that broadcasts neither.
static bool isPlainSum(EltwiseOp op) {
  return isKind(op, NPU_INSTR_add) && op.getInputs().size() == 2 &&
         isF32(op.getResult()) &&
         llvm::all_of(op.getInputs().getTypes(), [&](Type type) {
           return type == op.getResult().getType();
         });
}

namespace {

// Pattern: add(conv(X, W, b), conv(X, V, c)) -> conv(X, W + V, b + c), where
// the window of V lies in that of W.
struct MergeConvolutions : OpRewritePattern<EltwiseOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EltwiseOp op,
                                PatternRewriter &rewriter) const override {
    if (!isPlainSum(op))
      return rewriter.notifyMatchFailure(op, "not a sum of two alike");
    std::optional<Branch> first = branchOf(op.getInputs()[0]),
                          second = branchOf(op.getInputs()[1]);
    if (!first || !second || first->data() != second->data() ||
        first->attrs.groups != second->attrs.groups ||
        !llvm::equal(strides(*first), strides(*second)))
      return rewriter.notifyMatchFailure(op, "not branches of the same data");
    for (auto [branch, other] :
         {std::pair(&*first, &*second), std::pair(&*second, &*first)})
      if (auto taps = tapsIn(*branch, *other);
          taps && readWeights(*branch) && readWeights(*other)) {
        add(*branch, *other, *taps);
        return replaceSum(rewriter, op, *branch, {first->op, second->op});
      }
    return rewriter.notifyMatchFailure(op, "no window lies in the other");
  }

  static ArrayRef<int64_t> strides(const Branch &branch) {
    return {branch.attrs.strides, branch.dims()};
  }

  static void add(Branch &branch, const Branch &other, ArrayRef<int64_t> taps) {
    const auto all = static_cast<size_t>(branch.taps());
    for (size_t i = 0; i < other.weight.size(); ++i)
      branch.weight[i / taps.size() * all +
                    static_cast<size_t>(taps[i % taps.size()])] +=
          other.weight[i];
    for (size_t c = 0; c < branch.bias.size(); ++c)
      branch.bias[c] += other.bias[c];
  }
};

// Pattern: add(conv(X, W, b), s * X + t) -> conv(X, W + s at the tap that meets
// the element itself, b + t); X alone beside a convolution of each channel.
struct MergeScaledData : OpRewritePattern<EltwiseOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EltwiseOp op,
                                PatternRewriter &rewriter) const override {
    if (!isPlainSum(op))
      return rewriter.notifyMatchFailure(op, "not a sum of two alike");
    for (unsigned i : {0U, 1U}) {
      std::optional<Branch> branch = branchOf(op.getInputs()[i]);
      if (!branch || branch->data().getType() != op.getResult().getType())
        continue;
      SmallVector<Operation *> steps = {branch->op};
      if (addScaled(*branch, op.getInputs()[1 - i], steps))
        return replaceSum(rewriter, op, *branch, steps);
    }
    return rewriter.notifyMatchFailure(op, "no multiple of a branch's data");
  }

  /// Adds scale and offset of `value`, which is the branch's data behind steps
  /// that nothing else reads.
  static bool addScaled(Branch &branch, Value value,
                        SmallVectorImpl<Operation *> &steps) {
    const auto channels = static_cast<size_t>(branch.shape()[0]);
    Floats scale(channels, 1), offset(channels);
    while (value != branch.data()) {
      auto op = value.getDefiningOp<EltwiseOp>();
      std::optional<ChannelAffine> step = affineStep(op, 1);
      if (!step || !value.hasOneUse())
        return false;
      for (size_t c = 0; c < channels; ++c) {
        offset[c] += step->offset.empty() ? 0 : scale[c] * step->offset[c];
        scale[c] *= step->scale.empty() ? 1 : step->scale[c];
      }
      steps.push_back(op);
      value = step->input;
    }
    const bool isOfEach = branch.attrs.groups > 1 && branch.shape()[1] == 1;
    std::optional<int64_t> tap = ownTap(branch);
    if (!tap || (steps.size() == 1 && !isOfEach) || !readWeights(branch))
      return false;
    const auto each = static_cast<size_t>(branch.shape()[1]),
               all = static_cast<size_t>(branch.taps());
    for (size_t c = 0; c < channels; ++c) {
      branch.weight[(c * each + c % each) * all + static_cast<size_t>(*tap)] +=
          scale[c];
      branch.bias[c] += offset[c];
    }
    return true;
  }

  /// The tap that meets the element at the result's own place.
  static std::optional<int64_t> ownTap(const Branch &branch) {
    int64_t at = 0;
    for (size_t dim = 0; dim < branch.dims(); ++dim) {
      const int64_t before = branch.attrs.pads_begin[dim],
                    step = branch.attrs.dilations[dim],
                    extent = branch.shape()[dim + 2];
      if (branch.attrs.strides[dim] != 1 || before % step != 0 ||
          before / step >= extent)
        return std::nullopt;
      at = at * extent + before / step;
    }
    return at;
  }
};

struct MergeBranchesPass : npu::impl::MergeBranchesBase<MergeBranchesPass> {
  using MergeBranchesBase::MergeBranchesBase;

  void runOnOperation() override {
    if (failed(mergeBranches(getOperation(), ownData)))
      signalPassFailure();
  }
};

} // namespace

LogicalResult npu::mergeBranches(Operation *root, bool ownData) {
  mlir::RewritePatternSet patterns(root->getContext());
  // What is behind a sum belongs in the weights, too, which are one now.
  addScalePatterns(patterns);
  patterns.add<MergeConvolutions>(root->getContext());
  if (ownData)
    patterns.add<MergeScaledData>(root->getContext());
  return apply(root, std::move(patterns));
}
