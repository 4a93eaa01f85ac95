// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/TFLite/TfliteNode.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/Support/IntegerScale.h"

#include <cmath>

using namespace npu;
using tflite::Activation;

Type TfliteNode::resultElement(size_t index) const {
  const tflite::Tensor *tensor = op.output(index);
  return tensor ? tfliteElement(builder.getContext(), *tensor) : Type();
}

Value TfliteNode::input(size_t index) {
  Value value = optionalInput(index);
  return value ? value : fail("has no operand " + Twine(index));
}

Type TfliteNode::indexElement(size_t index) {
  Type element = resultElement(index);
  return element && element.isInteger(64) ? element : i32();
}

LogicalResult TfliteNode::checkKeepsType(size_t index) {
  if (op.inputType(index) == op.outputType(0))
    return success();
  return unsupported("makes " + tfliteTypeText(op.outputType(0)) + " of " +
                     tfliteTypeText(op.inputType(index)));
}

FailureOr<Ints> TfliteNode::numbers(size_t index, StringRef what) {
  Value value = input(index);
  if (!value)
    return failure();
  ElementsAttr known = constantOf(value);
  if (!known || !isa<mlir::IntegerType>(known.getElementType()))
    return unsupported("has " + what + " that " +
                       (known ? "is of " + typeText(elementOf(value))
                              : std::string("its data decides")) +
                       ", expected constant integers");
  return elementInts(known);
}

FailureOr<int64_t> TfliteNode::number(size_t index, StringRef what) {
  FailureOr<Ints> found = numbers(index, what);
  if (failed(found))
    return failure();
  if (found->size() != 1)
    return error("has " + Twine(found->size()) + " numbers as " + what +
                 ", expected one");
  return found->front();
}

FailureOr<double> TfliteNode::anyNumber(size_t index, StringRef what) {
  Value value = input(index);
  if (!value)
    return failure();
  if (isa<mlir::IntegerType>(elementOf(value))) {
    FailureOr<int64_t> found = number(index, what);
    return failed(found) ? FailureOr<double>() : double(*found);
  }
  Value wide = cast(value, f32());
  std::optional<std::vector<float>> known;
  if (wide)
    known = floatsOf(wide);
  if (!known || known->size() != 1)
    return unsupported("has " + what +
                       " that its data decides, expected one constant");
  return double(known->front());
}

FailureOr<int64_t> TfliteNode::dimension(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    return error("has the dimension " + Twine(axis) + ", expected one of " +
                 Twine(rank));
  return axis < 0 ? axis + rank : axis;
}

FailureOr<Ints> TfliteNode::dimensions(size_t index, int64_t rank) {
  FailureOr<Ints> given = numbers(index, "dimensions");
  if (failed(given))
    return failure();
  Ints axes;
  if (rank == 0) // a scalar is reduced already, whatever it is reduced by
    return axes;
  for (int64_t number : *given) {
    FailureOr<int64_t> axis = dimension(number, rank);
    if (failed(axis))
      return failure();
    axes.push_back(*axis);
  }
  llvm::sort(axes);
  axes.erase(llvm::unique(axes), axes.end());
  return axes;
}

bool TfliteNode::isQuantized(size_t index) const {
  const tflite::Tensor *tensor = op.input(index);
  return tensor && tfliteScale(*tensor) &&
         (tensor->type() == tflite::TensorType::INT8 ||
          tensor->type() == tflite::TensorType::UINT8 ||
          tensor->type() == tflite::TensorType::INT16);
}

FailureOr<TfliteScale> TfliteNode::scaleOf(const tflite::Tensor *tensor,
                                           bool mayBeZero) {
  std::optional<TfliteScale> scale;
  if (tensor)
    scale = tfliteScale(*tensor);
  if (!scale || scale->isByChannel() || !(scale->scale() > 0 || mayBeZero))
    return unsupported(
        "has " + (tensor ? tfliteTensorText(*tensor) : "a tensor") + " with " +
        (!scale                 ? "no scale"
         : scale->isByChannel() ? "a scale for each channel"
                                : "the scale 0") +
        ", expected one above 0");
  return *scale;
}

Value TfliteNode::centered(Value value, int64_t zero) {
  Value wide = cast(value, i32());
  return zero != 0 ? two(NPU_INSTR_sub, wide, number32(zero)) : wide;
}

TfliteMultiplier npu::multiplierOf(double factor) {
  int exponent = 0;
  double fraction = std::frexp(factor, &exponent);
  auto multiplier = std::llround(fraction * double(int64_t(1) << 31));
  if (multiplier == int64_t(1) << 31) {
    multiplier /= 2;
    ++exponent;
  }
  if (!(factor > 0) || exponent < -31)
    return {0, 31};
  return {int32_t(multiplier), 31 - exponent};
}

/// Multiplier and shift, as numbers of `element`.
static SmallVector<Value, 2>
scaleOperands(TfliteNode &node, ArrayRef<TfliteMultiplier> multipliers,
              Type element) {
  auto operand = [&](int32_t TfliteMultiplier::*part) {
    auto numbers = llvm::to_vector(llvm::map_range(
        multipliers, [&](const TfliteMultiplier &one) { return one.*part; }));
    return node.cast(llvm::all_equal(numbers) ? node.number32(numbers.front())
                                              : node.vectorAlong(numbers, 0, 1),
                     element);
  };
  return {operand(&TfliteMultiplier::multiplier),
          operand(&TfliteMultiplier::shift)};
}

Value TfliteNode::scaledBy(Value value, ArrayRef<TfliteMultiplier> multipliers,
                           Rounding rounding) {
  if (!value)
    return noteFailure();
  SmallVector<Value, 2> scale =
      scaleOperands(*this, multipliers, elementOf(value));
  if (scalesNothing(scale))
    return value;
  return eltwise(NPU_INSTR_mul_shift, {value, scale[0], scale[1]},
                 rounding == Rounding::Twice ? 1 : 0);
}

Value TfliteNode::scaled(Value value, ArrayRef<double> factors,
                         Rounding rounding) {
  return scaledBy(value, llvm::map_to_vector(factors, multiplierOf), rounding);
}

Value TfliteNode::saturated(Value value, int64_t zero, int64_t low,
                            int64_t high) {
  return requantize(*this, value, {{}, zero, low, high}, resultElement());
}

TfliteRange npu::quantizedRange(Type element, const TfliteScale &scale,
                                Activation activation) {
  int64_t most = (int64_t(1) << (element.getIntOrFloatBitWidth() - 1)) - 1;
  TfliteRange range{-most - 1, most};
  auto stored = [&](float real) { // in floats, as LiteRT does
    return scale.zeroPoint() + int64_t(std::round(real / float(scale.scale())));
  };
  if (activation == Activation::RELU || activation == Activation::RELU6)
    range.low = std::max(range.low, stored(0));
  if (activation == Activation::RELU6)
    range.high = std::min(range.high, stored(6));
  if (activation == Activation::RELU_N1_TO_1)
    range = {std::max(range.low, stored(-1)), std::min(range.high, stored(1))};
  return range;
}

Value TfliteNode::quantized(Value value, Activation activation) {
  FailureOr<TfliteScale> scale = resultScale();
  if (failed(scale))
    return Value();
  TfliteRange range = quantizedRange(resultElement(), *scale, activation);
  return saturated(value, scale->zeroPoint(), range.low, range.high);
}

Value TfliteNode::requantized(Value value,
                              ArrayRef<TfliteMultiplier> multipliers,
                              Rounding rounding, Activation activation,
                              int64_t inputZero) {
  FailureOr<TfliteScale> scale = resultScale();
  if (!value || failed(scale))
    return noteFailure();
  TfliteRange range = quantizedRange(resultElement(), *scale, activation);
  Type wide = elementOf(value).isInteger(64) ? elementOf(value) : i32();
  return requantize(*this, value,
                    {scaleOperands(*this, multipliers, wide),
                     scale->zeroPoint(), range.low, range.high, inputZero,
                     rounding},
                    resultElement());
}

LogicalResult TfliteNode::setRequantized(Value value, double factor,
                                         Activation activation,
                                         int64_t inputZero) {
  return setResult(requantized(value, multiplierOf(factor), Rounding::Twice,
                               activation, inputZero));
}

LogicalResult TfliteNode::setQuantized(Value value, Activation activation) {
  return setResult(quantized(value, activation));
}

Value TfliteNode::activated(Value value, Activation activation) {
  switch (activation) {
  case Activation::RELU:
    return one(NPU_INSTR_relu, value);
  case Activation::RELU_N1_TO_1:
    return eltwise(NPU_INSTR_clip, {value}, -1, 1);
  case Activation::RELU6:
    return eltwise(NPU_INSTR_clip, {value}, 0, 6);
  default: // the table of operators sees to it that there is no other
    return value;
  }
}

LogicalResult TfliteNode::setResult(Value value, size_t index) {
  if (!value)
    return failure();
  if (index >= results.size())
    return error("gives " + Twine(results.size()) + " results, expected " +
                 Twine(index + 1) + " or more");
  if (elementOf(value) != resultElement(index))
    return error("gives " + typeText(elementOf(value)) +
                 ", but the file says " + tfliteTypeText(op.outputType(index)));
  results[index] = value;
  return success();
}
