// SPDX-License-Identifier: Apache-2.0
//
// npu-match-ranges: products of bytes that a few rows of data were quantized
// to by their range (DynamicQuantizeLinear, MatMulInteger and what is around
// them) become one product of that data, which quantizes it.
//
// It ends: each rewrite leaves one product of bytes less.
#include "compiler/Fusion/HasAny.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Fusion/Rewrites.h"
#include "compiler/Fusion/TargetOption.h"
#include "kernels/matmul/ranged_rows.h"

using namespace npu;
using namespace npu::rewrites;
using mlir::OpRewritePattern;
using mlir::PatternRewriter;

namespace npu {
#define GEN_PASS_DEF_MATCHRANGES
#include "compiler/Fusion/Passes.h.inc"
} // namespace npu

/// Rows of data that each product may quantize for itself: of more, all
/// readers of the bytes had better share them.
static constexpr int64_t mostRows = 4;

namespace {

/// Data that became bytes by its range.
struct Ranged {
  Value data, scale, zeroPoint;
};

bool isView(Operation *op) { return op && isa<ReshapeOp, TransposeOp>(op); }

/// What views hide: the same numbers in another shape.
Value behindViews(Value value) {
  while (isView(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

bool isNumber(Value value, float number) {
  std::optional<float> known = scalarOf(value);
  return known && *known == number;
}

/// The only operand of a conversion to this type, or null.
Value castTo(Value value, function_ref<bool(Type)> isWanted) {
  EltwiseOp op = definedBy(value, NPU_INSTR_cast);
  return op && isWanted(tensorType(value).getElementType()) ? op.getInputs()[0]
                                                            : Value();
}

bool isUnsignedByte(Type type) { return type.isUnsignedInteger(8); }
bool isFloat(Type type) { return type.isF32(); }
bool isInt(Type type) { return type.isSignlessInteger(32); }

/// The operands of such an op; none where it is another.
SmallVector<Value> operandsOf(Value value, npu_instr_kind kind) {
  EltwiseOp op = definedBy(value, kind);
  return op ? SmallVector<Value>(op.getInputs()) : SmallVector<Value>();
}

/// Calls `match` with the operands of an op whose order does not matter, in
/// both orders.
bool inAnyOrder(Value value, npu_instr_kind kind,
                function_ref<bool(Value, Value)> match) {
  SmallVector<Value> parts = operandsOf(value, kind);
  return parts.size() == 2 &&
         (match(parts[0], parts[1]) || match(parts[1], parts[0]));
}

/// Whether `value` is the least (or largest) of all numbers of `data`.
bool isExtremumOf(Value value, Value data, ReduceKind kind) {
  auto op = value.getDefiningOp<ReduceOp>();
  return op && op.getKind() == kind &&
         tensorType(value).getNumElements() == 1 &&
         behindViews(op.getInput()) == data;
}

/// Whether it is max(0, max(data)) - min(0, min(data)), and which value in it
/// is the second part.
bool isRangeOf(Value value, Value data, Value &low) {
  SmallVector<Value> ends = operandsOf(value, NPU_INSTR_sub);
  if (ends.size() != 2)
    return false;
  low = ends[1];
  auto isHigh = [&](Value zero, Value most) {
    return isNumber(zero, 0) && isExtremumOf(most, data, ReduceKind::Max);
  };
  auto isLow = [&](Value zero, Value least) {
    return isNumber(zero, 0) && isExtremumOf(least, data, ReduceKind::Min);
  };
  EltwiseOp relu = definedBy(ends[0], NPU_INSTR_relu);
  const bool hasHigh =
      relu ? isExtremumOf(relu.getInputs()[0], data, ReduceKind::Max)
           : inAnyOrder(ends[0], NPU_INSTR_max, isHigh);
  return hasHigh && inAnyOrder(low, NPU_INSTR_min, isLow);
}

/// Whether it is range == 0 ? 1 : range / 255.
bool isScaleOf(Value value, Value data, Value &low) {
  SmallVector<Value> parts = operandsOf(value, NPU_INSTR_select);
  if (parts.size() != 3 || !isNumber(parts[1], 1))
    return false;
  SmallVector<Value> quotient = operandsOf(parts[2], NPU_INSTR_div);
  if (quotient.size() != 2 || !isNumber(quotient[1], 255))
    return false;
  auto isZero = [&](Value range, Value zero) {
    return range == quotient[0] && isNumber(zero, 0);
  };
  return inAnyOrder(parts[0], NPU_INSTR_equal, isZero) &&
         isRangeOf(quotient[0], data, low);
}

/// Whether it is the byte of round((0 - low) / scale).
bool isZeroPointOf(Value value, Value low, Value scale) {
  Value real = castTo(value, isUnsignedByte);
  EltwiseOp rounded = real ? definedBy(real, NPU_INSTR_round) : EltwiseOp();
  if (!rounded)
    return false;
  SmallVector<Value> quotient =
      operandsOf(rounded.getInputs()[0], NPU_INSTR_div);
  if (quotient.size() != 2 || quotient[1] != scale)
    return false;
  SmallVector<Value> ends = operandsOf(quotient[0], NPU_INSTR_sub);
  EltwiseOp negated = definedBy(quotient[0], NPU_INSTR_neg);
  return negated ? negated.getInputs()[0] == low
                 : ends.size() == 2 && isNumber(ends[0], 0) && ends[1] == low;
}

/// What the bytes, or a view of them, were made of: the byte of
/// round(data / scale) + zero point.
std::optional<Ranged> rangedBehind(Value bytes) {
  Ranged found;
  Value real = castTo(behindViews(bytes), isUnsignedByte), low;
  auto isSum = [&](Value rounded, Value zero) {
    EltwiseOp op = definedBy(rounded, NPU_INSTR_round);
    found.zeroPoint = castTo(zero, isFloat);
    if (!op || !found.zeroPoint)
      return false;
    SmallVector<Value> parts = operandsOf(op.getInputs()[0], NPU_INSTR_div);
    if (parts.size() != 2)
      return false;
    found.data = parts[0];
    found.scale = parts[1];
    return true;
  };
  if (!real || !inAnyOrder(real, NPU_INSTR_add, isSum) || !isF32(found.data) ||
      !isScaleOf(found.scale, behindViews(found.data), low) ||
      !isZeroPointOf(found.zeroPoint, low, found.scale))
    return std::nullopt;
  return found;
}

/// The data in the views that its bytes are seen in.
FailureOr<Value> seenAs(OpBuilder &builder, Location location, Value bytes,
                        Value data) {
  Operation *view = bytes.getDefiningOp();
  if (!isView(view))
    return data;
  FailureOr<Value> input = seenAs(builder, location, view->getOperand(0), data);
  if (failed(input))
    return failure();
  if (auto transpose = dyn_cast<TransposeOp>(view))
    return makeTranspose(builder, location, *input,
                         toInts(transpose.getPermutation()));
  return makeReshape(builder, location, *input, shapeOf(bytes));
}

/// Steps of a recurrent net ask for the same weights again and again.
class ColumnSums {
public:
  /// Whether `sums` has the sum of each column of `matrix`.
  bool areIn(ElementsAttr matrix, ElementsAttr sums) {
    auto [known, isNew] = answers.try_emplace({matrix, sums}, false);
    if (isNew)
      known->second = sumsOf(matrix) == elementInts(sums);
    return known->second;
  }

private:
  static SmallVector<int64_t> sumsOf(ElementsAttr matrix) {
    const int64_t columns = matrix.getShapedType().getShape()[1];
    SmallVector<int64_t> sums(columns);
    for (auto [i, number] : llvm::enumerate(elementInts(matrix)))
      sums[i % columns] += number;
    return sums;
  }

  llvm::DenseMap<std::pair<Attribute, Attribute>, bool> answers;
};

// Pattern: (float(bytes(x) * W) - float(zero point * sums of W)) * (scale * c)
//          -> matmul(x, W, c) that quantizes x, also with the difference in i32
struct MatchRange : OpRewritePattern<EltwiseOp> {
  MatchRange(MLIRContext *context, ColumnSums &sums)
      : OpRewritePattern(context), columnSums(sums) {}

  LogicalResult matchAndRewrite(EltwiseOp op,
                                PatternRewriter &rewriter) const override {
    MatmulOp product;
    Ranged ranged;
    std::optional<std::vector<float>> factors;
    auto isFactor = [&](Value scale, Value constant) {
      factors = floatsOf(constant);
      return scale == ranged.scale && factors;
    };
    auto match = [&](Value sums, Value factor) {
      product = productOf(sums, ranged);
      return product && inAnyOrder(factor, NPU_INSTR_mul, isFactor);
    };
    if (!inAnyOrder(op.getResult(), NPU_INSTR_mul, match) ||
        shapeOf(op.getResult()) != shapeOf(product.getResult()))
      return rewriter.notifyMatchFailure(op, "no product of ranged data");
    const int64_t depth = shapeOf(product.getA()).back(),
                  columns = shapeOf(product.getB())[1],
                  many = static_cast<int64_t>(factors->size());
    if ((many != 1 && many != columns) || depth == 0 ||
        depth > kernels::deepestByteSum ||
        tensorType(product.getA()).getNumElements() > mostRows * depth)
      return rewriter.notifyMatchFailure(op, "for other kernels");
    FailureOr<Value> data =
        seenAs(rewriter, op.getLoc(), product.getA(), ranged.data);
    if (failed(data))
      return failure();
    Value scales = makeFloats(rewriter, op.getLoc(), {1, many}, *factors);
    rewriter.replaceOpWithNewOp<MatmulOp>(
        op, op.getResult().getType(), *data, product.getB(), ValueRange{scales},
        /*bits=*/0, /*block=*/depth, /*zero_point=*/0, NPU_QUANTIZE_BY_RANGE);
    return success();
  }

private:
  /// The product of `sums`, which is a float of it less what the zero point
  /// adds to it, and what its data was made of.
  MatmulOp productOf(Value sums, Ranged &ranged) const {
    SmallVector<Value> terms;
    if (Value whole = castTo(sums, isFloat)) {
      terms = operandsOf(whole, NPU_INSTR_sub);
    } else {
      for (Value term : operandsOf(sums, NPU_INSTR_sub))
        terms.push_back(castTo(term, isFloat));
    }
    if (terms.size() != 2 || !terms[0] || !terms[1])
      return {};
    auto product = terms[0].getDefiningOp<MatmulOp>();
    if (!product || product.isPacked() ||
        !tensorType(product.getB()).getElementType().isSignlessInteger(8) ||
        shapeOf(product.getB()).size() != 2)
      return {};
    std::optional<Ranged> found = rangedBehind(product.getA());
    ElementsAttr weights = constantOf(product.getB());
    auto isCorrection = [&](Value zero, Value constant) {
      ElementsAttr known = constantOf(constant);
      return known && castTo(zero, isInt) == found->zeroPoint &&
             columnSums.areIn(weights, known);
    };
    if (!found || !weights ||
        !inAnyOrder(terms[1], NPU_INSTR_mul, isCorrection))
      return {};
    ranged = *found;
    return product;
  }

  ColumnSums &columnSums;
};

struct MatchRangesPass
    : PassOfTarget<npu::impl::MatchRangesBase<MatchRangesPass>> {
  using PassOfTarget::PassOfTarget;

  void runOnOperation() override {
    const TargetSpec *chip = spec.get();
    if (chip && !llvm::is_contained(chip->algorithms, "quantized_rows"))
      return;
    if (failed(matchRanges(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult npu::matchRanges(Operation *root) {
  if (!hasAny<MatmulOp>(root))
    return success();
  ColumnSums sums;
  mlir::RewritePatternSet patterns(root->getContext());
  patterns.add<MatchRange>(root->getContext(), sums);
  return apply(root, std::move(patterns));
}

std::unique_ptr<mlir::Pass> npu::createMatchRanges(const TargetSpec *target) {
  return std::make_unique<MatchRangesPass>(target);
}
