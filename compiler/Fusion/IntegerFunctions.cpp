// SPDX-License-Identifier: Apache-2.0
//
// Patterns of npu-requantize-integers for what is not affine: functions of one
// byte are tables, a softmax is a table of its exponential and a division.
//
// They end: each replaces one conversion of floats to bytes, and makes none.
#include "compiler/Fusion/Integers.h"

using namespace npu;
using namespace npu::integers;
using namespace npu::rewrites;
using mlir::OpRewritePattern;

namespace {

// Pattern: quantize(function(byte)) -> gather(table, byte)
struct TableOfByte : OpRewritePattern<QuantizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(QuantizeOp op,
                                PatternRewriter &rewriter) const override {
    if (!roundedBefore(op))
      return rewriter.notifyMatchFailure(op, "not to bytes");
    std::optional<ByteTable> table = tableOfByte(op.getResult());
    if (!table)
      return rewriter.notifyMatchFailure(op, "not of one byte");
    Emitter emit{rewriter, op.getLoc()};
    Value numbers = ConstantOp::create(
        rewriter, op.getLoc(), table->numbers.getShapedType(), table->numbers);
    rewriter.replaceOp(op, emit.lookUpByte(numbers, table->byte));
    return success();
  }
};

/// A softmax of bytes, in the unit of the bytes that it becomes.
struct ByteSoftmax {
  SoftmaxOp op;
  Value bytes;
  double scale, unit;
};

} // namespace

static std::optional<ByteSoftmax> softmaxOf(const Rounded &rounded) {
  std::optional<float> scale = scalarOf(rounded.scale);
  if (!scale)
    return std::nullopt;
  Value value = rounded.real;
  double unit = 1 / static_cast<double>(*scale);
  for (int i = 0; i < longestChain; ++i) {
    if (auto op = value.getDefiningOp<SoftmaxOp>()) {
      std::optional<Affine> affine = affineOf(op.getInput());
      if (op.getIsLog() || !affine || affine->terms.size() != 1 ||
          affine->isBounded() || !isByte(affine->terms[0].integers) ||
          !affine->terms[0].scale.isOne() || !affine->offset.isOne() ||
          shapeOf(affine->terms[0].integers) != shapeOf(op.getInput()))
        return std::nullopt;
      return ByteSoftmax{op, affine->terms[0].integers,
                         affine->terms[0].scale.one(), unit};
    }
    auto step = value.getDefiningOp<EltwiseOp>();
    if (!step)
      return std::nullopt;
    bool isScale = isKind(step, NPU_INSTR_mul) || isKind(step, NPU_INSTR_div);
    std::optional<float> by =
        isScale ? scalarOf(step.getInputs()[1]) : std::nullopt;
    if (isKind(step, NPU_INSTR_linear) && step.getBeta().convertToFloat() == 0)
      by = step.getAlpha().convertToFloat();
    if (!by)
      return std::nullopt;
    auto factor = static_cast<double>(*by);
    unit *= isKind(step, NPU_INSTR_div) ? 1 / factor : factor;
    value = step.getInputs()[0];
  }
  return std::nullopt;
}

/// exp(-scale * difference) with `bits` behind the point.
static Value exponentials(Emitter &emit, double scale, int bits) {
  Numbers numbers;
  numbers.shape = {byteEntries};
  for (int64_t i = 0; i < byteEntries; ++i)
    numbers.values.push_back(std::nearbyint(
        std::ldexp(std::exp(-scale * static_cast<double>(i)), bits)));
  return emit.constant(numbers);
}

namespace {

// Pattern: quantize(softmax(byte), 1 / unit)
//          -> requantize(e * unit / sum(e)), e = table[max - byte]
struct SoftmaxInIntegers : OpRewritePattern<QuantizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(QuantizeOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Rounded> rounded = roundedBefore(op);
    if (!rounded)
      return rewriter.notifyMatchFailure(op, "not to bytes");
    std::optional<ByteSoftmax> softmax = softmaxOf(*rounded);
    constexpr double mostUnit = 0x1p16; // beyond that no byte is meant
    if (!softmax || !(softmax->scale > 0) || !(softmax->unit >= 1) ||
        softmax->unit > mostUnit)
      return rewriter.notifyMatchFailure(op, "no softmax of bytes");
    ArrayRef<int64_t> shape = shapeOf(softmax->bytes);
    int64_t axis = softmax->op.getAxis();
    axis += axis < 0 ? static_cast<int64_t>(shape.size()) : 0;
    int bits = bitsOf(shape[static_cast<size_t>(axis)], softmax->unit);
    constexpr int leastBits = 12; // a sum of them is exact to 1/16 step
    if (bits < leastBits)
      return rewriter.notifyMatchFailure(op, "row too long for 32 bits");
    Emitter emit{rewriter, op.getLoc()};
    Value bytes = emit.cast(softmax->bytes, rewriter.getI32Type());
    Value most = emit.reduced(bytes, ReduceKind::Max, axis);
    Value below = negated(emit, bytes, most);
    Value powers = emit.lookUp(exponentials(emit, softmax->scale, bits), below);
    Value sum = emit.reduced(powers, ReduceKind::Sum, axis);
    FixedPoint unit = Emitter::fixedPoint(softmax->unit);
    Value scaled = emit.step(NPU_INSTR_mul_shift,
                             {powers, emit.constant(Numbers::of(unit.factor)),
                              emit.constant(Numbers::of(unit.shift))});
    Value half =
        emit.step(NPU_INSTR_shift_right, {sum, emit.constant(Numbers::of(1))});
    Value value = emit.step(NPU_INSTR_add, {scaled, half});
    value = emit.step(NPU_INSTR_div, {value, sum});
    rewriter.replaceOp(
        op, emit.requantize(value, *rounded, elementOf(op.getResult())));
    return success();
  }

  /// Behind the point, so that a row's sum and a scaled number have 30 bits.
  static int bitsOf(int64_t extent, double unit) {
    constexpr int all = 29, most = 24;
    double largest = std::max(static_cast<double>(extent), unit);
    return std::min(all - static_cast<int>(std::ceil(std::log2(largest))),
                    most);
  }

  /// most - value; a step's shape is that of its first operand.
  static Value negated(Emitter &emit, Value value, Value most) {
    Value below = emit.step(NPU_INSTR_sub, {value, most});
    return emit.step(NPU_INSTR_neg, {below});
  }
};

} // namespace

void rewrites::addIntegerFunctionPatterns(mlir::RewritePatternSet &patterns) {
  patterns.add<TableOfByte, SoftmaxInIntegers>(patterns.getContext());
}
