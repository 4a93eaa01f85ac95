// SPDX-License-Identifier: Apache-2.0
//
// npu-fold-pad: zero padding becomes an attribute of the windowed op behind it,
// as do slices around one (WindowSlices.cpp).
//
// It ends: each pattern removes a pad or a slice in front of a windowed op, or
// a slice behind one, or moves a pad behind a reshape (never back).
#include "compiler/Fusion/FusionTraits.h"
#include "compiler/Fusion/HasAny.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Fusion/Rewrites.h"
#include "compiler/Kernel/KernelProblem.h"

using namespace npu;
using namespace npu::rewrites;
using mlir::PatternRewriter;

namespace npu {
#define GEN_PASS_DEF_FOLDPAD
#include "compiler/Fusion/Passes.h.inc"
} // namespace npu

/// How far a value is followed backwards; deeper proofs are not worth the time.
static constexpr int proofDepth = 8;

/// Whether no element can be below zero.
static bool isNonNegative(Value value, int depth = proofDepth) {
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return false;
  if (auto eltwise = dyn_cast<EltwiseOp>(op)) {
    switch (eltwise.getKind()) {
    case NPU_INSTR_relu:
    case NPU_INSTR_abs:
    case NPU_INSTR_sigmoid:
    case NPU_INSTR_hard_sigmoid:
    case NPU_INSTR_exp:
    case NPU_INSTR_softplus:
      return true;
    case NPU_INSTR_clip:
      return eltwise.getAlpha().convertToFloat() >= 0;
    default:
      return false;
    }
  }
  auto kernel = dyn_cast<KernelOpInterface>(op);
  return kernel && fusionTraitsOf(kernel).keepsSign &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isNonNegative(operand, depth - 1);
         });
}

/// The op's padding with the amounts of `pad` added; nothing if `pad` touches
/// batch or channels, or crops.
static std::optional<SmallVector<int64_t>> sumOfPads(Operation *op, PadOp pad) {
  SmallVector<int64_t> own = toInts(op->getAttrOfType<ArrayAttr>("pads"));
  SmallVector<int64_t> amounts = toInts(pad.getPads());
  size_t rank = amounts.size() / 2, spatial = own.size() / 2;
  for (size_t end : {0, 1})
    for (size_t dim = 0; dim < rank; ++dim) {
      int64_t amount = amounts[end * rank + dim];
      if (amount < 0 || (amount != 0 && dim < rank - spatial))
        return std::nullopt;
      if (amount != 0)
        own[end * spatial + dim - (rank - spatial)] += amount;
    }
  return own;
}

/// For pooling over `extents` (already padded by npu.pad) with `pads` in all:
/// whether every window ends inside of the padded extent, and whether it holds
/// an element of the data itself.
static bool windowsFit(const npu_pool_attrs &pool, ArrayRef<int64_t> padded,
                       ArrayRef<int64_t> results) {
  for (size_t i = 0; i < padded.size(); ++i) {
    int64_t last = (results[i] - 1) * pool.strides[i] +
                   (pool.kernel[i] - 1) * pool.dilations[i] + 1;
    if (last > padded[i] + pool.pads_begin[i] + pool.pads_end[i])
      return false;
  }
  return true;
}

static bool windowsHoldData(const npu_pool_attrs &pool, ArrayRef<int64_t> data,
                            ArrayRef<int64_t> pads, ArrayRef<int64_t> results) {
  for (size_t i = 0; i < data.size(); ++i) {
    int64_t lastStart = (results[i] - 1) * pool.strides[i] - pads[i];
    if (pool.dilations[i] != 1 || pads[i] >= pool.kernel[i] ||
        pads[data.size() + i] >= pool.kernel[i] || lastStart >= data[i])
      return false;
  }
  return true;
}

/// The op over the data that `pad` pads, with `pads` in all.
static void foldInto(Operation *op, PadOp pad, ArrayRef<int64_t> pads) {
  mlir::Builder builder(op->getContext());
  op->setOperand(0, pad.getInput());
  op->setAttr("pads", builder.getI64ArrayAttr(pads));
  if (isa<AvgPoolOp>(op))
    op->setAttr("count_include_pad", builder.getBoolAttr(true));
}

/// Kernels take less padding than npu.pad gives, and other limits.
static bool hasKernel(Operation *op, PadOp pad, ArrayRef<int64_t> pads) {
  Operation *folded = op->clone();
  foldInto(folded, pad, pads);
  kernels::Problem problem = makeProblem(folded, /*threads=*/1);
  folded->destroy();
  return kernels::validate(problem).empty();
}

namespace {

// Pattern: conv(pad(X, zero point)) -> conv(X) with pads
// Pattern: avg_pool(pad(X, 0)) -> avg_pool(X) with pads that count
// Pattern: max_pool(pad(X, 0)), X >= 0 -> max_pool(X) with pads
struct FoldPadIntoWindow : mlir::OpInterfaceRewritePattern<KernelOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(KernelOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (!fusionTraitsOf(op).takesPads)
      return rewriter.notifyMatchFailure(op, "no window");
    npu_attrs attributes = {};
    npu_op kind = op.getKernel(attributes);
    auto pad = op->getOperand(0).getDefiningOp<PadOp>();
    double zero = kind == NPU_OP_CONV
                      ? static_cast<double>(attributes.conv.data_zero_point)
                      : 0;
    if (!pad || pad.getMode() != PadMode::Constant ||
        pad.getValue().convertToDouble() != zero)
      return rewriter.notifyMatchFailure(op, "no padding with zeros");
    std::optional<SmallVector<int64_t>> pads = sumOfPads(op, pad);
    if (!pads)
      return rewriter.notifyMatchFailure(op, "pads more than space");
    if (kind != NPU_OP_CONV &&
        !foldsIntoPool(op, kind, attributes.pool, pad, *pads))
      return rewriter.notifyMatchFailure(op, "pooling would differ");
    if (!hasKernel(op, pad, *pads))
      return rewriter.notifyMatchFailure(op, "no kernel pads so much");

    Location location = fuseLocations({pad, op});
    rewriter.modifyOpInPlace(op, [&] {
      foldInto(op, pad, *pads);
      op->setLoc(location);
    });
    return success();
  }

  static bool foldsIntoPool(KernelOpInterface op, npu_op kind,
                            const npu_pool_attrs &pool, PadOp pad,
                            ArrayRef<int64_t> pads) {
    ArrayRef<int64_t> padded = shapeOf(pad.getResult()).drop_front(2);
    ArrayRef<int64_t> results = shapeOf(op->getResult(0)).drop_front(2);
    if (kind == NPU_OP_MAX_POOL)
      return isNonNegative(pad.getInput()) &&
             windowsHoldData(pool, shapeOf(pad.getInput()).drop_front(2), pads,
                             results);
    // The op's own padding must count already, or not exist.
    bool hasOwn =
        llvm::any_of(llvm::seq<size_t>(0, padded.size()), [&](auto i) {
          return pool.pads_begin[i] != 0 || pool.pads_end[i] != 0;
        });
    return (pool.count_include_pad || !hasOwn) &&
           windowsFit(pool, padded, results);
  }
};

struct FoldPadPass : npu::impl::FoldPadBase<FoldPadPass> {
  void runOnOperation() override {
    if (failed(foldPad(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult npu::foldPad(Operation *root) {
  if (!hasAny<PadOp, SliceOp>(root))
    return success();
  mlir::RewritePatternSet patterns(root->getContext());
  patterns.add<FoldPadIntoWindow>(root->getContext());
  addWindowSlicePatterns(patterns);
  return apply(root, std::move(patterns));
}
