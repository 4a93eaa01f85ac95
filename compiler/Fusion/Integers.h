// SPDX-License-Identifier: Apache-2.0
//
// What the rewrites of floats into integers share: what a float is of integers,
// and making steps on integers.
#ifndef NPU_COMPILER_FUSION_INTEGERS_H
#define NPU_COMPILER_FUSION_INTEGERS_H

#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Fusion/Rewrites.h"

#include <cmath>
#include <functional>
#include <limits>

namespace npu::integers {

using mlir::PatternRewriter;

/// A chain longer than this is none that a quantizer writes.
inline constexpr int longestChain = 24;
/// How many numbers a byte has.
inline constexpr int64_t byteEntries = 256;
/// Scaled numbers stay below this, so that sums of a few do not wrap.
inline constexpr double largestScaled = 0x1p29;

inline Type elementOf(Value value) {
  return tensorType(value).getElementType();
}
inline bool isByte(Value value) {
  return elementOf(value).isIntOrIndex() &&
         elementOf(value).getIntOrFloatBitWidth() == 8;
}

/// One number, or one for each element of a constant that broadcasts.
struct Numbers {
  SmallVector<int64_t> shape;
  std::vector<double> values;

  static Numbers of(double value) { return {{}, {value}}; }
  double one() const { return values.front(); }
  bool isOne() const { return values.size() == 1; }
};

struct Emitter;

/// What a float is of integers: clip(sum of scale * integer + offset).
struct Affine {
  struct Term {
    Value integers; // or the float that `make` makes them for
    Numbers scale;
    std::function<Value(Emitter &)> make = {};

    Value made(Emitter &emit) const { return make ? make(emit) : integers; }
  };
  SmallVector<Term> terms;
  Numbers offset = Numbers::of(0);
  double low = -INFINITY, high = INFINITY;

  bool isBounded() const { return !std::isinf(low) || !std::isinf(high); }
};

/// A factor of 31 bits and a shift to the right.
struct FixedPoint {
  int32_t factor, shift;
};

/// A number in bytes, halves to even.
struct Rounded {
  Value real, scale;
  double zero, low, high; // zero point; bounds of the bytes
};

/// Emits what a rewrite makes.
struct Emitter {
  PatternRewriter &rewriter;
  Location location;

  Value constant(const Numbers &numbers) {
    std::vector<int32_t> values;
    for (double value : numbers.values)
      values.push_back(static_cast<int32_t>(value));
    auto type = RankedTensorType::get(numbers.shape, rewriter.getI32Type());
    const char *bytes = reinterpret_cast<const char *>(values.data());
    return ConstantOp::create(
        rewriter, location, type,
        makeElements(type, ArrayRef(bytes, values.size() * sizeof(int32_t))));
  }
  Value cast(Value value, Type element) {
    return rewrites::makeCast(rewriter, location, value, element);
  }
  Value step(npu_instr_kind kind, ValueRange inputs, double alpha = 0,
             double beta = 0) {
    // Operands are numbers of one type that broadcast to the first.
    return *rewrites::makeEltwise(rewriter, location, kind, inputs,
                                  static_cast<float>(alpha),
                                  static_cast<float>(beta));
  }
  Value clip(Value value, double low, double high) {
    return step(NPU_INSTR_clip, {value}, low, high);
  }
  /// table[index] for each element.
  Value lookUp(Value table, Value index) {
    return GatherOp::create(rewriter, location,
                            tensorType(index).clone(elementOf(table)), table,
                            index, rewriter.getI64IntegerAttr(0));
  }
  /// table[byte] for each, from the least byte on.
  Value lookUpByte(Value table, Value byte) {
    Value index = cast(byte, rewriter.getI32Type());
    if (!elementOf(byte).isUnsignedInteger())
      index =
          step(NPU_INSTR_add, {index, constant(Numbers::of(byteEntries / 2))});
    return lookUp(table, index);
  }
  /// Along dimensions that stay, with an extent of 1.
  Value reduced(Value value, ReduceKind kind, ArrayRef<int64_t> axes) {
    SmallVector<int64_t> shape(rewrites::shapeOf(value));
    for (int64_t axis : axes)
      shape[static_cast<size_t>(axis)] = 1;
    return ReduceOp::create(
        rewriter, location, RankedTensorType::get(shape, elementOf(value)),
        value, ReduceKindAttr::get(rewriter.getContext(), kind),
        rewriter.getI64ArrayAttr(axes), rewriter.getBoolAttr(true));
  }
  /// What npu.requantize takes for scale * value, rounded: the value, not
  /// beyond `largestScaled` when scaled, a factor and a shift.
  SmallVector<Value, 3> scaling(Value value, const Numbers &by) {
    constexpr double most = std::numeric_limits<int32_t>::max();
    Numbers factors = by, shifts = by, limits = by;
    bool isLimited = false;
    for (size_t i = 0; i < by.values.size(); ++i) {
      FixedPoint fixed = fixedPoint(by.values[i]);
      factors.values[i] = fixed.factor;
      shifts.values[i] = fixed.shift;
      double limit = largestScaled / std::abs(by.values[i]);
      isLimited |= limit < most;
      limits.values[i] = std::min(limit, most);
    }
    if (isLimited && !isByte(value)) {
      value = step(NPU_INSTR_min, {value, constant(limits)});
      for (double &limit : limits.values)
        limit = -limit;
      value = step(NPU_INSTR_max, {value, constant(limits)});
    }
    return {cast(value, rewriter.getI32Type()), constant(factors),
            constant(shifts)};
  }
  Value scale(Value value, const Numbers &by) {
    return step(NPU_INSTR_mul_shift, scaling(value, by));
  }
  /// A number and what it is scaled by, if by anything, as a quantized one.
  Value requantize(ArrayRef<Value> scaling, const Rounded &as, Type element) {
    SmallVector<shapes::Shape> shapes;
    for (Value operand : scaling)
      shapes.emplace_back(rewrites::shapeOf(operand));
    std::string error; // none: they broadcast, as those of steps
    return RequantizeOp::create(
        rewriter, location,
        RankedTensorType::get(*shapes::broadcast(shapes, error), element),
        scaling.front(), scaling.drop_front(), 0, static_cast<int64_t>(as.zero),
        static_cast<int64_t>(as.low), static_cast<int64_t>(as.high),
        Rounding::HalfUp);
  }

  static FixedPoint fixedPoint(double scale) {
    int exponent = 0;
    double fraction = std::frexp(scale, &exponent);
    int shift = 31 - exponent;
    if (shift > 62) { // next to nothing
      fraction = std::ldexp(fraction, 62 - shift);
      shift = 62;
    }
    double factor = std::nearbyint(std::ldexp(fraction, 31));
    if (std::abs(factor) >= 0x1p31) {
      factor /= 2;
      --shift;
    }
    return {static_cast<int32_t>(factor), shift};
  }
};

/// What is quantized to bytes, with one zero point.
std::optional<Rounded> roundedBefore(QuantizeOp op);

/// What a float is of sums and bytes, where that is scales, offsets and bounds.
std::optional<Affine> affineOf(Value value, int depth = longestChain);
/// The same, in units of what it becomes.
std::optional<Affine> affineOf(const Rounded &rounded);

/// The numbers of a constant; nothing of another value.
std::optional<Numbers> numbersOf(Value value);

/// A function of one byte: what it is of each, from the least on.
struct ByteTable {
  Value byte;
  ElementsAttr numbers;
};

/// Whether the value is a function of one byte, so that a table has it.
bool isFunctionOfByte(Value value);

/// The table; nothing where the value is no such function.
std::optional<ByteTable> tableOfByte(Value value);

/// What a float is of integers that are yet to be made, of the operands' bytes.
std::optional<Affine> termsOf(Value value, int depth);

} // namespace npu::integers

namespace npu::rewrites {
// Patterns with a file of their own.
void addIntegerFunctionPatterns(mlir::RewritePatternSet &patterns);
void addQuantizedOperandPatterns(mlir::RewritePatternSet &patterns);
} // namespace npu::rewrites

#endif // NPU_COMPILER_FUSION_INTEGERS_H
