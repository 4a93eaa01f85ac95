// SPDX-License-Identifier: Apache-2.0
//
// Patterns of npu-requantize-integers: what picks numbers (concat, the larger
// of two, moves) picks bytes, in front of a conversion and behind one.
//
// They end: each moves an op from between two conversions to bytes' side.
#include "compiler/Fusion/Integers.h"

using namespace npu;
using namespace npu::integers;
using namespace npu::rewrites;
using mlir::OpRewritePattern;

namespace {

/// An op whose results are some of its operands' numbers.
struct Picking {
  Operation *op = nullptr;
  unsigned first = 0, count = 0; // operands that are picked of
  bool isOrdered = false;        // by their order, which rising functions keep
};

} // namespace

/// Whether the result is elements of the first operand.
static bool isMove(Operation *op) {
  return llvm::isa_and_nonnull<TransposeOp, ReshapeOp, SliceOp, BroadcastOp,
                               GatherOp>(op);
}

static Picking pickingOf(Operation *op) {
  if (isMove(op))
    return {op, 0, 1, false};
  if (llvm::isa_and_nonnull<ConcatOp>(op))
    return {op, 0, op->getNumOperands(), false};
  auto step = llvm::dyn_cast_or_null<EltwiseOp>(op);
  if (isKind(step, NPU_INSTR_max) || isKind(step, NPU_INSTR_min))
    return {op, 0, 2, true};
  if (isKind(step, NPU_INSTR_select))
    return {op, 1, 2, false};
  return {};
}

/// Whether the step, with single numbers, keeps the order of its operand's.
static bool isRising(Operation *op) {
  auto number = [&] { return scalarOf(op->getOperand(1)).value_or(0); };
  if (isa<QuantizeOp>(op))
    return number() > 0;
  auto step = dyn_cast<EltwiseOp>(op);
  if (!step)
    return false;
  switch (step.getKind()) {
  case NPU_INSTR_cast:
  case NPU_INSTR_round:
  case NPU_INSTR_round_away:
  case NPU_INSTR_relu:
  case NPU_INSTR_clip:
  case NPU_INSTR_add:
  case NPU_INSTR_sub:
    return true;
  case NPU_INSTR_mul:
  case NPU_INSTR_div:
    return number() > 0;
  case NPU_INSTR_linear:
    return step.getAlpha().convertToFloat() > 0;
  default:
    return false;
  }
}

/// Whether all operands but the first are single numbers.
static bool isOfOne(Operation *step) {
  return isElementwise(step) &&
         shapeOf(step->getOperand(0)) == shapeOf(step->getResult(0)) &&
         llvm::all_of(llvm::drop_begin(step->getOperands()), [](Value input) {
           return scalarOf(input) || integerOf(input);
         });
}

/// The same step of another value.
static Value repeated(PatternRewriter &rewriter, Operation *step, Value value) {
  SmallVector<Value> inputs(step->getOperands());
  inputs[0] = value;
  Type type = tensorType(value).clone(elementOf(step->getResult(0)));
  FailureOr<Value> folded =
      cloneFolded(rewriter, step->getLoc(), step, inputs, type);
  if (succeeded(folded))
    return *folded;
  return cloneWith(rewriter, step->getLoc(), step, inputs, type)->getResult(0);
}

/// Collects the steps with single numbers that make `value`, the last first,
/// until a value that ends them; null where there is none.
static Value collectSteps(Value value, llvm::function_ref<bool(Value)> isEnd,
                          SmallVector<Operation *> &steps) {
  for (int i = 0; i < longestChain && !isEnd(value); ++i) {
    Operation *step = value.getDefiningOp();
    if (!isOfOne(step))
      return Value();
    steps.push_back(step);
    value = step->getOperand(0);
  }
  return isEnd(value) ? value : Value();
}

namespace {

// Pattern: quantize(f(concat(A, B)))
//          -> concat(quantize(f(A)), quantize(f(B)))
// Transposes, slices, gathers, broadcasts and select match as concat does, max
// and min only where f rises.
struct QuantizeOperands : OpRewritePattern<QuantizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(QuantizeOp op,
                                PatternRewriter &rewriter) const override {
    if (!roundedBefore(op))
      return rewriter.notifyMatchFailure(op, "not to bytes");
    SmallVector<Operation *> steps = {op};
    auto isPicked = [](Value value) {
      return pickingOf(value.getDefiningOp()).op != nullptr;
    };
    Value picked = collectSteps(op.getInput(), isPicked, steps);
    if (!picked)
      return rewriter.notifyMatchFailure(op, "nothing that picks numbers");
    Operation *from = picked.getDefiningOp();
    Picking picking = pickingOf(from);
    if (picking.isOrdered && !llvm::all_of(steps, isRising))
      return rewriter.notifyMatchFailure(op, "a step that changes the order");
    SmallVector<Value> operands(from->getOperands());
    for (Value &operand :
         MutableArrayRef(operands).slice(picking.first, picking.count))
      for (Operation *step : llvm::reverse(steps))
        operand = repeated(rewriter, step, operand);
    rewriter.replaceOp(op, cloneWith(rewriter, from->getLoc(), from, operands,
                                     op.getResult().getType()));
    return success();
  }
};

// Pattern: transpose(f(cast(bytes))) -> f(cast(transpose(bytes)))
// Reshapes, slices, gathers and broadcasts match, too.
struct MoveBytes : mlir::RewritePattern {
  explicit MoveBytes(mlir::MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isMove(op) || !isF32(op->getResult(0)))
      return rewriter.notifyMatchFailure(op, "no move of real numbers");
    SmallVector<Operation *> steps;
    Value value = collectSteps(op->getOperand(0), isByte, steps);
    if (!value || constantOf(value))
      return rewriter.notifyMatchFailure(op, "not of bytes");
    SmallVector<Value> operands(op->getOperands());
    operands[0] = value;
    Value moved =
        cloneWith(rewriter, op->getLoc(), op, operands,
                  tensorType(op->getResult(0)).clone(elementOf(value)))
            ->getResult(0);
    for (Operation *step : llvm::reverse(steps))
      moved = repeated(rewriter, step, moved);
    rewriter.replaceOp(op, moved);
    return success();
  }
};

} // namespace

void rewrites::addQuantizedOperandPatterns(mlir::RewritePatternSet &patterns) {
  patterns.add<MoveBytes>(patterns.getContext());
  // What has a form of its own keeps it.
  patterns.add<QuantizeOperands>(patterns.getContext(), /*benefit=*/0);
}
