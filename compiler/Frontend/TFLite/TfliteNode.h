// SPDX-License-Identifier: Apache-2.0
//
// What the builder of an operator sees: the operator, its operands as values of
// the npu dialect, and the emitter for its results.
#ifndef NPU_COMPILER_FRONTEND_TFLITE_TFLITENODE_H
#define NPU_COMPILER_FRONTEND_TFLITE_TFLITENODE_H

#include "compiler/Frontend/TFLite/TfliteVariables.h"

#include <functional>

namespace npu {

class TfliteNode;

/// Of an operator that is about none of its operands, and may have no results.
constexpr size_t noOperand = ~size_t(0);

/// A row of the op table (TfliteOps.cpp).
struct TfliteOp {
  tflite::BuiltinOperator kind;
  uint32_t types; // of the operand that the operator is about,
  size_t operand; // and which that is
  LogicalResult (*build)(TfliteNode &node);
  /// What tells apart ops that share a builder: npu_instr_kind, ReduceKind.
  int word = 0;
  const char *note = "";   // what a user must know
  const char *custom = ""; // the name of an operator that is not TFLite's own
};

/// The multiplier and shift for a factor above 0: factor = multiplier /
/// 2^shift, of 31 bits, as LiteRT rounds it; 0 for factors that vanish.
struct TfliteMultiplier {
  int32_t multiplier, shift;
};
TfliteMultiplier multiplierOf(double factor);

class TfliteNode : public Emitter {
public:
  /// One value for each operand; null where it is left out.
  TfliteNode(OpBuilder &builder, Location location, const TfliteOperator &op,
             const TfliteOp &row, ArrayRef<Value> operands)
      : Emitter(builder, location), op(op), row(row), operands(operands),
        results(op.outputCount()) {}

  const TfliteOperator &op;
  const TfliteOp &row;
  npu_instr_kind instr() const { return static_cast<npu_instr_kind>(row.word); }
  /// The model's variables; which of them each operand is, if it is one; and
  /// which the operator's result stands for.
  TfliteVariables *variables = nullptr;
  SmallVector<std::string> variableOf;
  std::string variableMade;
  /// Of an operand of complex numbers the imaginary part; the operand is the
  /// real one. Null: zeros, or none.
  SmallVector<Value> imaginaryOf;
  /// The imaginary part of the operator's result.
  Value imaginaryMade;
  /// What another graph of the model gives for these values.
  std::function<FailureOr<SmallVector<Value>>(int32_t index,
                                              ArrayRef<Value> inputs)>
      callGraph;

  /// Its table of options; null after an error where it has none.
  template <typename Options>
  const Options *options() {
    const Options *found = op.options<Options>();
    if (!found)
      (void)error("has no options");
    return found;
  }

  size_t inputCount() const { return operands.size(); }
  /// Null with an error where it is left out.
  Value input(size_t index);
  /// The same, for an operand that may be left out.
  Value optionalInput(size_t index) const {
    return index < operands.size() ? operands[index] : Value();
  }
  Type resultElement(size_t index = 0) const;
  /// i64 where the file says that a result's indices are, else i32.
  Type indexElement(size_t index = 0);
  /// An error where the result is not of the type of operand `index`.
  LogicalResult checkKeepsType(size_t index);
  Type f32() { return builder.getF32Type(); }
  Type i32() { return builder.getI32Type(); }

  /// The numbers of an operand of integers that is known; else an error that
  /// says what they are.
  FailureOr<Ints> numbers(size_t index, StringRef what);
  /// The same, where the operator wants one number.
  FailureOr<int64_t> number(size_t index, StringRef what);
  /// The one number of an operand that is known, of any type.
  FailureOr<double> anyNumber(size_t index, StringRef what);
  /// A dimension of a value of this rank, counted from the end below 0.
  FailureOr<int64_t> dimension(int64_t axis, int64_t rank);
  /// The dimensions that an operand names, in order, each once.
  FailureOr<Ints> dimensions(size_t index, int64_t rank);

  bool isQuantized(size_t index) const;
  /// The one scale of an operand or result; else an error.
  FailureOr<TfliteScale> scaleOf(const tflite::Tensor *tensor,
                                 bool mayBeZero = false);
  FailureOr<TfliteScale> inputScale(size_t index) {
    return scaleOf(op.input(index));
  }
  /// That of an operand that is multiplied: 0 where all its numbers are 0.
  FailureOr<TfliteScale> factorScale(size_t index) {
    return scaleOf(op.input(index), /*mayBeZero=*/true);
  }
  FailureOr<TfliteScale> resultScale(size_t index = 0) {
    return scaleOf(op.output(index));
  }

  Value one(npu_instr_kind kind, Value x) { return eltwise(kind, {x}); }
  Value two(npu_instr_kind kind, Value a, Value b) {
    return eltwise(kind, {a, b});
  }
  Value number32(int64_t value) { return scalar(double(value), i32()); }
  Value float32(double value) { return scalar(value, f32()); }

  /// value - zero, as i32.
  Value centered(Value value, int64_t zero);
  /// value * multiplier / 2^shift, as integers of the value's type; several
  /// multipliers are along the last dimension.
  Value scaledBy(Value value, ArrayRef<TfliteMultiplier> multipliers,
                 Rounding rounding);
  /// value * factor in i32, halves as `rounding` says; several factors are
  /// along the last dimension.
  Value scaled(Value value, ArrayRef<double> factors, Rounding rounding);
  /// value + the zero point of the result, within `low` and `high`, as the
  /// result's type.
  Value saturated(Value value, int64_t zero, int64_t low, int64_t high);
  /// The same within its fused activation, or within its type; null after an
  /// error.
  Value quantized(Value value, tflite::Activation activation);
  LogicalResult setQuantized(Value value, tflite::Activation activation);
  /// The result's numbers for value * multiplier / 2^shift, see scaledBy;
  /// within its fused activation. Null after an error.
  Value requantized(Value value, ArrayRef<TfliteMultiplier> multipliers,
                    Rounding rounding, tflite::Activation activation,
                    int64_t inputZero = 0);
  LogicalResult setRequantized(Value value, double factor,
                               tflite::Activation activation,
                               int64_t inputZero = 0);
  /// Floats and plain integers within a fused activation.
  Value activated(Value value, tflite::Activation activation);

  /// Assigns the variable that an operand is.
  LogicalResult keep(size_t index, Value value) {
    return variables->assign(*this, variableOf[index], value, *op.input(index));
  }

  LogicalResult setResult(Value value, size_t index = 0);
  ArrayRef<Value> getResults() const { return results; }

private:
  ArrayRef<Value> operands;
  SmallVector<Value> results;
};

/// The least and most of a fused activation in a quantized type.
struct TfliteRange {
  int64_t low, high;
};
TfliteRange quantizedRange(Type element, const TfliteScale &scale,
                           tflite::Activation activation);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_TFLITE_TFLITENODE_H
