// SPDX-License-Identifier: Apache-2.0
//
// npu-unsigned-bytes: bytes that sums are made of lose their sign, because
// processors multiply bytes without one by bytes with one.
//
// It ends: each rewrite takes away a conversion to bytes with a sign, and makes
// none.
#include "compiler/Fusion/Integers.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Fusion/TargetOption.h"

#include <cmath>

using namespace npu;
using namespace npu::integers;
using namespace npu::rewrites;
using mlir::OpRewritePattern;
using mlir::PatternRewriter;

namespace npu {
#define GEN_PASS_DEF_UNSIGNEDBYTES
#include "compiler/Fusion/Passes.h.inc"
} // namespace npu

/// Between bytes with a sign and those without.
static constexpr int64_t half = 128;
static constexpr const char *zeroPoint = "data_zero_point";

namespace {
/// What is requantized, with bounds of the bytes.
struct Bytes {
  double low, high;
  Value last; // what others read
};

} // namespace

static std::optional<Bytes> bytesOf(RequantizeOp op) {
  auto low = static_cast<int64_t>(op.getLow()),
       high = static_cast<int64_t>(op.getHigh());
  if (!elementOf(op.getResult()).isSignlessInteger(8) ||
      elementOf(op.getInput()).isInteger(64) || low < -half || high >= half)
    return std::nullopt;
  Bytes bytes = {static_cast<double>(low), static_cast<double>(high),
                 op.getResult()};
  while (bytes.last.hasOneUse()) {
    auto bound = dyn_cast<EltwiseOp>(*bytes.last.user_begin());
    bool isLeast = isKind(bound, NPU_INSTR_max);
    if (!isLeast && !isKind(bound, NPU_INSTR_min))
      break;
    std::optional<int64_t> number = integerOf(bound.getInputs()[1]);
    if (bound.getInputs()[0] != bytes.last || !number ||
        shapeOf(bound.getResult()) != shapeOf(bytes.last))
      break;
    auto limit = static_cast<double>(*number);
    auto apply = [&](double x) {
      return isLeast ? std::max(x, limit) : std::min(x, limit);
    };
    bytes.low = apply(bytes.low);
    bytes.high = apply(bytes.high);
    bytes.last = bound.getResult();
  }
  return bytes;
}

/// Whether nothing that reads them, through transposes, wants the sign. Adds to
/// `sums` those that are made of them.
static bool readWithoutSign(Value bytes, int64_t &sums) {
  return llvm::all_of(bytes.getUses(), [&](mlir::OpOperand &use) {
    Operation *op = use.getOwner();
    if (auto transpose = dyn_cast<TransposeOp>(op))
      return readWithoutSign(transpose.getResult(), sums);
    if (op->hasAttr(zeroPoint) && use.getOperandNumber() == 0)
      return ++sums > 0;
    if (isa<RequantizeOp>(op))
      return use.getOperandNumber() == 0;
    return isKind(dyn_cast<EltwiseOp>(op), NPU_INSTR_cast) &&
           elementOf(op->getResult(0)).isSignlessInteger(32);
  });
}

/// What was converted to i32 from bytes with a sign, from those without.
static void convertBack(PatternRewriter &rewriter, Operation *conversion,
                        Value bytes) {
  Emitter emit{rewriter, conversion->getLoc()};
  rewriter.setInsertionPoint(conversion);
  Value wide = emit.cast(bytes, rewriter.getI32Type());
  // A subtraction that follows does both.
  for (Operation *user : llvm::make_early_inc_range(conversion->getUsers())) {
    auto less = dyn_cast<EltwiseOp>(user);
    if (!isKind(less, NPU_INSTR_sub) ||
        less.getInputs()[0] != conversion->getResult(0))
      continue;
    std::optional<int64_t> number = integerOf(less.getInputs()[1]);
    if (!number || std::abs(*number) > half ||
        shapeOf(less.getResult()) != shapeOf(wide))
      continue;
    rewriter.setInsertionPoint(less);
    Value by = emit.constant(Numbers::of(static_cast<double>(*number + half)));
    rewriter.replaceOp(less, emit.step(NPU_INSTR_sub, {wide, by}));
  }
  rewriter.setInsertionPoint(conversion);
  Value by = emit.constant(Numbers::of(half));
  rewriter.replaceOp(conversion, emit.step(NPU_INSTR_sub, {wide, by}));
}

/// What read `old` reads `bytes`, which are higher by `half`.
static void redirect(PatternRewriter &rewriter, Value old, Value bytes) {
  for (Operation *op : llvm::make_early_inc_range(old.getUsers())) {
    if (auto transpose = dyn_cast<TransposeOp>(op)) {
      rewriter.setInsertionPoint(transpose);
      Operation *moved =
          cloneWith(rewriter, op->getLoc(), op, bytes,
                    tensorType(transpose.getResult()).clone(elementOf(bytes)));
      redirect(rewriter, transpose.getResult(), moved->getResult(0));
      rewriter.eraseOp(op);
    } else if (auto zero = op->getAttrOfType<mlir::IntegerAttr>(zeroPoint)) {
      rewriter.modifyOpInPlace(op, [&] {
        op->setOperand(0, bytes);
        op->setAttr(zeroPoint,
                    rewriter.getI64IntegerAttr(zero.getInt() + half));
      });
    } else if (auto again = dyn_cast<RequantizeOp>(op)) {
      rewriter.modifyOpInPlace(again, [&] {
        again.getInputMutable().assign(bytes);
        again.setInputZeroPoint(again.getInputZeroPoint() + half);
      });
    } else {
      convertBack(rewriter, op, bytes);
    }
  }
}

namespace {

// Pattern: sum(requantize(X)) of i8 -> sum(cast(requantize(X) + 128)) of ui8
struct DropSign : OpRewritePattern<RequantizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RequantizeOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Bytes> bytes = bytesOf(op);
    if (!bytes)
      return rewriter.notifyMatchFailure(op, "no bounded bytes");
    int64_t sums = 0;
    if (!readWithoutSign(bytes->last, sums) || sums == 0)
      return rewriter.notifyMatchFailure(op, "not of sums alone");
    rewriter.setInsertionPointAfterValue(bytes->last);
    Emitter emit{rewriter, op.getLoc()};
    // Moved once it is within the bounds, so that nothing wraps.
    Type i32 = rewriter.getI32Type();
    auto bounded = cast<RequantizeOp>(
        cloneWith(rewriter, op.getLoc(), op, op->getOperands(),
                  tensorType(op.getResult()).clone(i32)));
    bounded.setLow(static_cast<int64_t>(bytes->low));
    bounded.setHigh(static_cast<int64_t>(bytes->high));
    Value value = emit.step(
        NPU_INSTR_add, {bounded.getResult(), emit.constant(Numbers::of(half))});
    auto unsignedByte =
        mlir::IntegerType::get(getContext(), 8, mlir::IntegerType::Unsigned);
    redirect(rewriter, bytes->last, emit.cast(value, unsignedByte));
    return success();
  }
};

struct UnsignedBytesPass
    : PassOfTarget<npu::impl::UnsignedBytesBase<UnsignedBytesPass>> {
  using PassOfTarget::PassOfTarget;

  void runOnOperation() override {
    auto type =
        mlir::IntegerType::get(&getContext(), 8, mlir::IntegerType::Unsigned);
    if (spec.get() && !spec.get()->supports(type))
      return;
    if (failed(unsignedBytes(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult npu::unsignedBytes(Operation *root) {
  mlir::RewritePatternSet patterns(root->getContext());
  patterns.add<DropSign>(root->getContext());
  return apply(root, std::move(patterns));
}

std::unique_ptr<mlir::Pass> npu::createUnsignedBytes(const TargetSpec *target) {
  return std::make_unique<UnsignedBytesPass>(target);
}
