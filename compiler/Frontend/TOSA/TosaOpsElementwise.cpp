// SPDX-License-Identifier: Apache-2.0
//
// Elementwise functions.
#include "compiler/Frontend/TOSA/TosaOps.h"

#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/Support/IntegerScale.h"

using namespace npu;

static Type i32(TosaNode &node) { return node.getBuilder().getI32Type(); }
static Type i64(TosaNode &node) { return node.getBuilder().getI64Type(); }

static npu_instr_kind kindOf(TosaNode &node) {
  return static_cast<npu_instr_kind>(node.row.kind);
}

LogicalResult npu::buildTosaUnary(TosaNode &node) {
  return node.setResult(node.eltwise(kindOf(node), {node.getInput(0)}));
}

/// The same for select, which has three operands.
LogicalResult npu::buildTosaBinary(TosaNode &node) {
  SmallVector<Value> operands;
  for (size_t i = 0; i < node.getInputCount(); ++i)
    operands.push_back(node.getInput(i));
  return node.setResult(node.eltwise(kindOf(node), operands));
}

LogicalResult npu::buildTosaExtreme(TosaNode &node) {
  Value a = node.getInput(0), b = node.getInput(1);
  return node.setResult(node.eltwise(
      kindOf(node), {node.withoutNan(a, b), node.withoutNan(b, a)}));
}

LogicalResult npu::buildTosaClamp(TosaNode &node) {
  Value x = node.getInput(0);
  if (isa<mlir::FloatType>(elementOf(x))) {
    double low = node.attribute<mlir::FloatAttr>("min_val").getValueAsDouble();
    double high = node.attribute<mlir::FloatAttr>("max_val").getValueAsDouble();
    x = node.withoutNan(x, node.scalar(low, elementOf(x)));
    return node.setResult(node.eltwise(NPU_INSTR_clip, {x}, low, high));
  }
  // Bounds of 32 bits do not fit the numbers of npu.eltwise.
  auto bound = [&](StringRef name) {
    const llvm::APInt number =
        node.attribute<mlir::IntegerAttr>(name).getValue();
    bool isUnsigned = elementOf(x).isUnsignedInteger();
    return node.scalar(isUnsigned ? double(number.getZExtValue())
                                  : double(number.getSExtValue()),
                       elementOf(x));
  };
  Value raised = node.eltwise(NPU_INSTR_max, {x, bound("min_val")});
  return node.setResult(
      node.eltwise(NPU_INSTR_min, {raised, bound("max_val")}));
}

/// x >> s; rounding adds the last bit that falls out.
LogicalResult npu::buildTosaArithmeticShift(TosaNode &node) {
  Value x = node.getInput(0), amount = node.getInput(1);
  if (!node.attribute<mlir::BoolAttr>("round").getValue())
    return node.setResult(node.eltwise(NPU_INSTR_shift_right, {x, amount}));
  // The last bit that falls off is added: halves go upwards.
  return node.setResult(node.eltwise(
      NPU_INSTR_mul_shift, {x, node.scalar(1, elementOf(x)), amount}));
}

/// On the bits as an unsigned number, in 64 bits.
LogicalResult npu::buildTosaLogicalShift(TosaNode &node) {
  Type element = node.resultElement();
  unsigned bits = node.sourceResult().getIntOrFloatBitWidth();
  if (bits > 32)
    return node.error("shifts i64, expected i8, i16 or i32");
  Value mask = node.scalar(double((uint64_t(1) << bits) - 1), i64(node));
  Value wide = node.eltwise(NPU_INSTR_bit_and,
                            {node.cast(node.getInput(0), i64(node)), mask});
  Value shifted = node.eltwise(NPU_INSTR_shift_right,
                               {wide, node.cast(node.getInput(1), i64(node))});
  return node.setResult(node.cast(shifted, element));
}

LogicalResult npu::buildTosaMul(TosaNode &node) {
  Value a = node.getInput(0), b = node.getInput(1);
  Type result = node.resultElement();
  if (isa<mlir::FloatType>(result))
    return node.setResult(node.eltwise(NPU_INSTR_mul, {a, b}));
  a = node.cast(a, result);
  b = node.cast(b, result);
  std::optional<int64_t> shift = constantInt(node.getInput(2));
  if (!shift)
    return node.unsupported("the shift must be one constant number");
  if (*shift < 0 || *shift > 63)
    return node.error("found the shift " + Twine(*shift) +
                      ", expected 0 to 63");
  if (*shift == 0)
    return node.setResult(node.eltwise(NPU_INSTR_mul, {a, b}));
  return node.setResult(node.eltwise(
      NPU_INSTR_mul_shift, {a, b, node.scalar(double(*shift), result)}));
}

LogicalResult npu::buildTosaNegate(TosaNode &node) {
  Value x = node.getInput(0);
  Type element = elementOf(x);
  if (isa<mlir::FloatType>(element))
    return node.setResult(node.eltwise(NPU_INSTR_neg, {x}));
  std::optional<int64_t> inputZero = constantInt(node.getInput(1));
  std::optional<int64_t> outputZero = constantInt(node.getInput(2));
  if (!inputZero || !outputZero)
    return node.unsupported("the zero points must be constant numbers");
  // -(x - inputZero) + outputZero, at the nearest end if out of range.
  Value sum = node.scalar(double(*inputZero + *outputZero), i32(node));
  Value result = node.eltwise(NPU_INSTR_sub, {sum, node.cast(x, i32(node))});
  IntegerRange range = rangeOfBits(node.sourceResult().getIntOrFloatBitWidth());
  return node.setResult(
      requantize(node, result, {{}, 0, range.low, range.high}, element));
}

/// Each entry of 16 bits, and above it the next one: both are one look-up.
static Value pairsOf(TosaNode &node, Value table) {
  auto part = [&](int64_t first) {
    return node.slice(table, {first}, {1}, {shapeOf(table)[0] - 1});
  };
  Value low = node.eltwise(NPU_INSTR_bit_and,
                           {part(0), node.scalar(0xffff, i32(node))});
  Value high =
      node.eltwise(NPU_INSTR_shift_left, {part(1), node.scalar(16, i32(node))});
  return node.eltwise(NPU_INSTR_bit_or, {low, high});
}

/// A step with a number; the one that is there already, if there is: tables
/// that are looked up at one place share it.
static Value stepOfAll(TosaNode &node, npu_instr_kind kind, Value x,
                       int64_t number) {
  for (Operation *user : x.getUsers())
    if (auto step = dyn_cast<EltwiseOp>(user))
      if (step.getKind() == kind && step.getInputs()[0] == x &&
          constantInt(step.getInputs()[1]) == number)
        return step.getResult();
  return node.eltwise(kind, {x, node.scalar(double(number), i32(node))});
}

LogicalResult npu::buildTosaTable(TosaNode &node) {
  Value table = node.getInput(1);
  bool isByte = node.sourceElement(0).isInteger(8);
  int64_t entries = isByte ? 256 : 513;
  if (shapeOf(table) != ArrayRef(entries))
    return node.error("found a table of shape " + shapes::text(shapeOf(table)) +
                      ", expected " + Twine(entries) + " numbers");
  if (isByte)
    return node.setResult(lookUpBytes(node, table, node.getInput(0)));
  Value x = node.cast(node.getInput(0), i32(node));
  auto number = [&](double value) { return node.scalar(value, i32(node)); };
  auto two = [&](npu_instr_kind kind, Value a, Value b) {
    return node.eltwise(kind, {a, b});
  };
  // Between two entries, 7 bits apart.
  Value place = stepOfAll(node, NPU_INSTR_shift_right, x, 7);
  Value index = stepOfAll(node, NPU_INSTR_add, place, 256);
  Value rest = two(NPU_INSTR_bit_and, x, number(127));
  Value both = lookUp(node, pairsOf(node, table), index);
  Value half = number(16);
  Value base =
      two(NPU_INSTR_shift_right, two(NPU_INSTR_shift_left, both, half), half);
  Value next = two(NPU_INSTR_shift_right, both, half);
  Value slope = two(NPU_INSTR_sub, next, base);
  return node.setResult(two(NPU_INSTR_add,
                            two(NPU_INSTR_mul, base, number(128)),
                            two(NPU_INSTR_mul, slope, rest)));
}
