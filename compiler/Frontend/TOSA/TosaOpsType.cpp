// SPDX-License-Identifier: Apache-2.0
//
// Conversions between element types, exact and scaled.
#include "compiler/Frontend/TOSA/TosaOps.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/Support/IntegerScale.h"

#include <cmath>

using namespace npu;

static Type i32(TosaNode &node) { return node.getBuilder().getI32Type(); }

/// The lowest 16 bits with their sign: i16 is i32 in the dialect.
static Value wrapTo16(TosaNode &node, Value value) {
  Value half = node.scalar(16, i32(node));
  return node.eltwise(
      NPU_INSTR_shift_right,
      {node.eltwise(NPU_INSTR_shift_left, {node.cast(value, i32(node)), half}),
       half});
}

LogicalResult npu::buildTosaCast(TosaNode &node) {
  Value x = node.getInput(0);
  Type from = elementOf(x), to = node.resultElement();
  bool isShort = node.sourceResult().isInteger(16);
  if (isa<mlir::FloatType>(from) && !isa<mlir::FloatType>(to) &&
      !to.isInteger(1)) {
    if (isByte(to) && from.isF32())
      return node.setResult(quantize(node, x, node.scalar(1, from), Value(), to,
                                     Rounding::HalfEven));
    x = node.eltwise(NPU_INSTR_round, {x});
    if (isShort)
      x = node.eltwise(NPU_INSTR_clip, {x}, -32768, 32767);
    return node.setResult(node.cast(x, to));
  }
  bool isLonger = from.isIntOrFloat() && !isa<mlir::FloatType>(from) &&
                  node.sourceElement(0).getIntOrFloatBitWidth() > 16;
  if (isShort && isLonger)
    return node.setResult(wrapTo16(node, x));
  return node.setResult(node.cast(x, to));
}

/// Numbers of `bits` bits in i32, as unsigned ones where the op says so.
static Value widened(TosaNode &node, Value value, unsigned bits,
                     bool isUnsigned) {
  value = node.cast(value, i32(node));
  if (!isUnsigned || bits >= 32)
    return value;
  Value mask = node.scalar(std::ldexp(1.0, int(bits)) - 1, i32(node));
  return node.eltwise(NPU_INSTR_bit_and, {value, mask});
}

/// One number, or one for each index of the last dimension.
static Value scaleOperand(TosaNode &node, size_t index, bool isPerChannel,
                          int64_t channels) {
  Value value = node.cast(node.getInput(index), i32(node));
  int64_t wanted = isPerChannel ? channels : 1;
  if (value && shapeOf(value) != ArrayRef(wanted))
    return node.fail("found " + shapes::text(shapeOf(value)) +
                     " multipliers or shifts, expected " + Twine(wanted));
  return isPerChannel ? value : node.reshape(value, {});
}

LogicalResult npu::buildTosaRescale(TosaNode &node) {
  Value x = node.getInput(0);
  auto flag = [&](StringRef name) {
    return node.attribute<mlir::BoolAttr>(name).getValue();
  };
  auto rounding = node.attribute<mlir::tosa::RoundingModeAttr>("rounding_mode");
  bool twice = flag("scale32") &&
               rounding.getValue() == mlir::tosa::RoundingMode::DOUBLE_ROUND;
  unsigned from = node.sourceElement(0).getIntOrFloatBitWidth();
  unsigned to = node.sourceResult().getIntOrFloatBitWidth();
  bool isUnsigned = flag("input_unsigned"),
       toUnsigned = flag("output_unsigned");
  if (from > 32 || to > 32)
    return node.unsupported("rescales i" + Twine(from) + " to i" + Twine(to) +
                            ", expected at most 32 bits");
  if (flag("per_channel") && rankOf(x) < 1)
    return node.error("rescales a scalar by channel");
  int64_t channels = rankOf(x) > 0 ? shapeOf(x).back() : 1;
  Value multiplier = scaleOperand(node, 1, flag("per_channel"), channels);
  Value shift = scaleOperand(node, 2, flag("per_channel"), channels);
  auto zeroPoint = [&](size_t index, unsigned bits, bool isWide) {
    return constantInt(widened(node, node.getInput(index), bits, isWide));
  };
  std::optional<int64_t> inputZero = zeroPoint(3, from, isUnsigned),
                         zero = zeroPoint(4, to, toUnsigned);
  if (!inputZero || !zero)
    return node.unsupported("the zero points must be constant numbers");
  IntegerRange range = rangeOfBits(to, toUnsigned);
  Value value = requantize(node, isUnsigned ? widened(node, x, from, true) : x,
                           {{multiplier, shift},
                            *zero,
                            range.low,
                            range.high,
                            *inputZero,
                            twice ? Rounding::Twice : Rounding::HalfUp},
                           node.resultElement());
  if (toUnsigned && to == 16) // i16 is signed in the dialect
    value = wrapTo16(node, value);
  return node.setResult(value);
}
