// SPDX-License-Identifier: Apache-2.0
//
// The checks of the ops in NPUQuantizeOps.td, with labels as in
// NPUVerifiers.cpp, and the steps that stand for them.
#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/LayoutUse.h"
#include "compiler/Dialect/NPU/VerifyHelpers.h"

using namespace npu;
using namespace npu::verify;
using shapes::Shape;

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static bool isInteger(Value value) {
  auto type = dyn_cast<mlir::IntegerType>(elementOf(value));
  return type && type.getWidth() >= 8;
}

static LogicalResult verifyBroadcast(Operation *op) {
  SmallVector<Shape> operands;
  for (Value operand : op->getOperands())
    operands.push_back(Shape(shapeOf(operand)));
  std::string error;
  return verifyShape(op, shapes::broadcast(operands, error), error);
}

/// Real numbers, what they are divided by, and integers for both.
static LogicalResult verifyQuantization(Operation *op, Value real, Value scale,
                                        Value integers, Value zeroPoint) {
  for (Value value : {real, scale})
    if (!elementOf(value).isF32())
      return op->emitOpError() << "found real numbers or scales of "
                               << elementOf(value) << ", expected f32";
  for (Value value : {integers, zeroPoint})
    if (value && !isInteger(value))
      return op->emitOpError() << "found quantized numbers or zero points of "
                               << elementOf(value) << ", expected integers";
  return success();
}

LogicalResult QuantizeOp::verify() {
  if (failed(verifyQuantization(*this, getInput(), getScale(), getResult(),
                                getZeroPoint())) || // quantize_c1
      failed(verifyBroadcast(*this)))               // quantize_c2
    return failure();
  // quantize_c3
  if (getRounding() != Rounding::HalfEven &&
      getRounding() != Rounding::HalfAway)
    return emitOpError() << "rounds " << stringifyEnum(getRounding())
                         << ", expected half_even or half_away";
  return verifyLayouts(getOperation());
}

LogicalResult DequantizeOp::verify() {
  if (failed(verifyQuantization(*this, getResult(), getScale(), getInput(),
                                getZeroPoint())) || // dequantize_c1
      failed(verifyBroadcast(*this)))               // dequantize_c2
    return failure();
  return verifyLayouts(getOperation());
}

/// What the input is scaled in.
static Type wideType(RequantizeOp op) {
  mlir::Builder builder(op.getContext());
  return elementOf(op.getInput()).isInteger(64) ? builder.getI64Type()
                                                : builder.getI32Type();
}

LogicalResult RequantizeOp::verify() {
  // requantize_c1
  if (!isInteger(getInput()) || !isInteger(getResult()))
    return emitOpError() << "makes " << elementOf(getResult()) << " of "
                         << elementOf(getInput()) << ", expected integers";
  // requantize_c2
  if (!getScale().empty() && getScale().size() != 2)
    return emitOpError() << "has " << getScale().size()
                         << " operands to scale by, expected a multiplier and "
                            "a shift, or none";
  for (Value part : getScale()) // requantize_c3
    if (elementOf(part) != wideType(*this))
      return emitOpError() << "scales by " << elementOf(part) << ", expected "
                           << wideType(*this);
  if (failed(verifyBroadcast(*this))) // requantize_c4
    return failure();
  auto low = static_cast<int64_t>(getLow()),
       high = static_cast<int64_t>(getHigh());
  if (low > high) // requantize_c5
    return emitOpError() << "has the empty range from " << low << " to "
                         << high;
  // requantize_c6
  if (getRounding() != Rounding::HalfUp && getRounding() != Rounding::Twice)
    return emitOpError() << "rounds " << stringifyEnum(getRounding())
                         << ", expected half_up or twice";
  return verifyLayouts(getOperation());
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

template <typename Number>
static ElementsAttr elementsOf(RankedTensorType type,
                               ArrayRef<int64_t> numbers) {
  std::vector<Number> values(numbers.begin(), numbers.end());
  return makeElements(type,
                      ArrayRef(reinterpret_cast<const char *>(values.data()),
                               values.size() * sizeof(Number)));
}

/// A constant of f32, i32 or i64.
static Value numbersOf(StepBuilder &steps, RankedTensorType type,
                       ArrayRef<int64_t> numbers) {
  Type element = type.getElementType();
  return steps.constant(element.isF32() ? elementsOf<float>(type, numbers)
                        : element.isInteger(32)
                            ? elementsOf<int32_t>(type, numbers)
                            : elementsOf<int64_t>(type, numbers));
}

/// The numbers of a zero point that is known.
static std::optional<SmallVector<int64_t>> knownNumbers(Value zeroPoint) {
  ElementsAttr known = constantOf(zeroPoint);
  return known ? std::optional(elementInts(known)) : std::nullopt;
}

/// Whether there is a zero point that is not known to be 0.
static bool hasZeroPoint(Value zeroPoint) {
  if (!zeroPoint)
    return false;
  auto known = knownNumbers(zeroPoint);
  return !known || llvm::any_of(*known, [](int64_t number) { return number; });
}

/// A zero point, negated if `isNegated` and it is known, as numbers of `type`.
static Value zeroPointAs(StepBuilder &steps, Value zeroPoint, Type type,
                         bool isNegated = false) {
  auto known = knownNumbers(zeroPoint);
  if (!known)
    return steps.cast(zeroPoint, type);
  if (isNegated)
    for (int64_t &number : *known)
      number = -number;
  return numbersOf(steps, RankedTensorType::get(shapeOf(zeroPoint), type),
                   *known);
}

/// Whether the scale is 1, by which nothing need be divided.
static bool isOne(Value scale) {
  std::optional<std::vector<float>> numbers = floatsOf(scale);
  return numbers && numbers->size() == 1 && numbers->front() == 1 &&
         shapeOf(scale).empty();
}

Value QuantizeOp::makeSteps(StepBuilder &steps) {
  Value value = getInput();
  if (!isOne(getScale()))
    value = steps.step(NPU_INSTR_div, {value, getScale()});
  value = steps.step(getRounding() == Rounding::HalfAway ? NPU_INSTR_round_away
                                                         : NPU_INSTR_round,
                     {value});
  if (hasZeroPoint(getZeroPoint())) {
    auto known = knownNumbers(getZeroPoint());
    value = known && llvm::all_equal(*known)
                ? steps.step(NPU_INSTR_linear, {value}, 1,
                             static_cast<double>(known->front()))
                : steps.step(NPU_INSTR_add,
                             {value, zeroPointAs(steps, getZeroPoint(),
                                                 elementOf(getInput()))});
  }
  return steps.cast(value, elementOf(getResult()));
}

/// Floats hold the differences of bytes exactly, and vectorize better.
Value DequantizeOp::makeSteps(StepBuilder &steps) {
  Type f32 = elementOf(getResult());
  Type work =
      isByte(getInput()) ? f32 : mlir::Builder(getContext()).getI32Type();
  Value value = getInput();
  if (hasZeroPoint(getZeroPoint())) {
    // What is added to floats goes into other steps.
    bool isAdded = work == f32 && constantOf(getZeroPoint());
    value = steps.step(isAdded ? NPU_INSTR_add : NPU_INSTR_sub,
                       {steps.cast(value, work),
                        zeroPointAs(steps, getZeroPoint(), work, isAdded)});
  }
  value = steps.cast(value, f32);
  return isOne(getScale()) ? value
                           : steps.step(NPU_INSTR_mul, {value, getScale()});
}

Value RequantizeOp::makeSteps(StepBuilder &steps) {
  Type wide = wideType(*this);
  auto number = [&](uint64_t bits) {
    auto value = static_cast<int64_t>(bits);
    return numbersOf(steps, RankedTensorType::get({}, wide), value);
  };
  Value value = steps.cast(getInput(), wide);
  if (getInputZeroPoint() != 0)
    value = steps.step(NPU_INSTR_sub, {value, number(getInputZeroPoint())});
  if (!getScale().empty())
    value =
        steps.step(NPU_INSTR_mul_shift, {value, getScale()[0], getScale()[1]},
                   getRounding() == Rounding::Twice ? 1 : 0);
  if (getZeroPoint() != 0)
    value = steps.step(NPU_INSTR_add, {value, number(getZeroPoint())});
  auto low = static_cast<int64_t>(getLow()),
       high = static_cast<int64_t>(getHigh());
  if (low > INT32_MIN || high < INT32_MAX)
    value = steps.step(NPU_INSTR_clip, {value}, static_cast<double>(low),
                       static_cast<double>(high));
  return steps.cast(value, elementOf(getResult()));
}
