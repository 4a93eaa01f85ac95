// SPDX-License-Identifier: Apache-2.0
//
// Operators of onnxruntime's domain com.microsoft, which its quantization tools
// write: a real operator between its dequantized inputs and quantized result.
#include "compiler/Frontend/ONNX/OnnxOps.h"

#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/ONNX/OnnxQuantize.h"
#include "compiler/Frontend/ONNX/OnnxWindow.h"
#include "compiler/Frontend/Support/IntegerScale.h"

using namespace npu;

/// Input `index` less its zero point, which is two inputs behind it, times
/// `scale`.
static Value scaledInput(OnnxNode &node, size_t index, Value scale) {
  Value zeroPoint =
      node.hasInput(index + 2) ? wholeParameter(node, index + 2) : Value();
  if (!scale || node.hasFailed())
    return Value();
  return dequantize(node, node.getInput(index), scale, zeroPoint);
}

/// Input `index` as a real number; its scale follows it.
static Value realInput(OnnxNode &node, size_t index) {
  return scaledInput(node, index, wholeParameter(node, index + 1));
}

/// Sets the result: `real` in units of `scale`, with the zero point at input
/// `index`, or none and the type of input `like`.
static LogicalResult setQuantized(OnnxNode &node, Value real, Value scale,
                                  size_t index, size_t like) {
  if (!real || !scale)
    return failure();
  Value zeroPoint;
  Type element = elementOf(node.getInput(like));
  if (node.hasInput(index)) {
    zeroPoint = wholeParameter(node, index);
    if (!zeroPoint)
      return failure();
    element = elementOf(zeroPoint);
  }
  return node.setResult(quantized(node, real, scale, zeroPoint, element));
}

/// The same, with the scale at input `index` in front of the zero point.
static LogicalResult setQuantized(OnnxNode &node, Value real, size_t index,
                                  size_t like) {
  return setQuantized(node, real, wholeParameter(node, index), index + 1, like);
}

LogicalResult npu::buildQLinearBinary(OnnxNode &node) {
  Value aScale = wholeParameter(node, 1), bScale = wholeParameter(node, 4),
        scale = wholeParameter(node, 6);
  if (node.hasFailed())
    return failure();
  Value one = node.scalar(1, node.getBuilder().getF32Type());
  // Scales first, as onnxruntime does it: ties round alike.
  auto divided = [&](Value value) {
    return node.eltwise(NPU_INSTR_div, {value, scale});
  };
  auto multiplied = [&](Value first, Value second) {
    return node.eltwise(NPU_INSTR_mul, {first, second});
  };
  if (node.op.kind == NPU_INSTR_mul) {
    Value units =
        multiplied(scaledInput(node, 0, one), scaledInput(node, 3, one));
    return setQuantized(node,
                        multiplied(units, divided(multiplied(aScale, bScale))),
                        one, 7, 0);
  }
  Value sum =
      node.eltwise(NPU_INSTR_add, {scaledInput(node, 0, divided(aScale)),
                                   scaledInput(node, 3, divided(bScale))});
  return setQuantized(node, sum, one, 7, 0);
}

LogicalResult npu::buildQLinearUnary(OnnxNode &node) {
  auto kind = static_cast<npu_instr_kind>(node.op.kind);
  double alpha =
      kind == NPU_INSTR_leaky_relu ? node.getFloat("alpha", 0.01) : 0;
  Value x = realInput(node, 0);
  return setQuantized(node, x ? node.eltwise(kind, {x}, alpha) : x, 3, 0);
}

/// Operands are bytes, a scale and a zero point each: more than a schema says.
static LogicalResult checkOperands(OnnxNode &node) {
  size_t count = node.getInputCount();
  if (count % 3 != 2 || count < 5)
    return node.error("has " + Twine(count) +
                      " inputs, expected 2 and 3 for each operand");
  for (size_t i = 2; i < count; i += 3) {
    Type data = elementOf(node.getInput(i)),
         scale = elementOf(node.getInput(i + 1)),
         zeroPoint = elementOf(node.getInput(i + 2));
    if (!isByte(data) || !scale.isF32() || zeroPoint != data)
      return node.error("has an operand of " + typeText(data) +
                        " with a scale of " + typeText(scale) +
                        " and a zero point of " + typeText(zeroPoint) +
                        ", expected int8 or uint8, a float, and the operand's "
                        "type");
  }
  return success();
}

LogicalResult npu::buildQLinearConcat(OnnxNode &node) {
  if (failed(checkOperands(node)))
    return failure();
  FailureOr<int64_t> axis = node.getAxis("axis", 1, rankOf(node.getInput(2)));
  if (failed(axis))
    return failure();
  SmallVector<Value> reals;
  for (size_t i = 2; i < node.getInputCount(); i += 3)
    reals.push_back(realInput(node, i));
  if (node.hasFailed())
    return failure();
  return setQuantized(node, node.concat(reals, *axis), 0, 2);
}

/// Runs `build` on (N, C, spatial), whatever the order of the node's data.
template <typename Build>
static Value channelsFirst(OnnxNode &node, Value x, Build build) {
  bool isLast = node.getFlag("channels_last", false);
  if (!x || rankOf(x) < 3)
    return node.fail("found data of fewer than 3 dimensions, expected N, C and "
                     "spatial dimensions");
  if (!isLast)
    return build(x);
  Ints to{0, rankOf(x) - 1}, from{0};
  to.append(countFrom(1, rankOf(x) - 1));
  from.append(countFrom(2, rankOf(x)));
  from.push_back(1);
  Value result = build(node.transpose(x, to));
  return result ? node.transpose(result, from) : result;
}

LogicalResult npu::buildQLinearPool(OnnxNode &node) {
  Value real = channelsFirst(node, realInput(node, 0), [&](Value x) {
    return pool(node, x, NPU_OP_AVG_POOL);
  });
  return setQuantized(node, real, 3, 0);
}

LogicalResult npu::buildQLinearGlobalPool(OnnxNode &node) {
  Value real = channelsFirst(node, realInput(node, 0), [&](Value x) {
    return globalPool(node, x, NPU_OP_AVG_POOL);
  });
  return setQuantized(node, real, 3, 0);
}

LogicalResult npu::buildQLinearSoftmax(OnnxNode &node) {
  Value x = realInput(node, 0);
  int64_t opset = node.getInt("opset", 13);
  if (!x)
    return failure();
  FailureOr<int64_t> axis =
      node.getAxis("axis", opset < 13 ? 1 : -1, rankOf(x));
  if (failed(axis))
    return failure();
  return setQuantized(node, softmaxOf(node, x, *axis, opset < 13, false), 3, 0);
}

LogicalResult npu::buildQLinearWhere(OnnxNode &node) {
  Value x = realInput(node, 1), y = realInput(node, 4);
  if (!x || !y)
    return failure();
  Value choice = node.eltwise(NPU_INSTR_select, {node.getInput(0), x, y});
  return setQuantized(node, choice, 7, 1);
}

/// alpha * A' * B' + C, where C counts in units of both scales (and alpha).
LogicalResult npu::buildQGemm(OnnxNode &node) {
  double alpha = node.getFloat("alpha", 1);
  bool transposes[] = {node.getFlag("transA", false),
                       node.getFlag("transB", false)};
  Value operands[2], zeros[2], scales[2];
  for (size_t i : {0, 1}) {
    operands[i] = node.getInput(3 * i);
    if (rankOf(operands[i]) != 2)
      return node.error("found an operand of shape " +
                        shapes::text(shapeOf(operands[i])) +
                        ", expected a matrix");
    if (transposes[i])
      operands[i] = node.transpose(operands[i], {1, 0});
    // B may have a scale and zero point for each column.
    int64_t columns = shapeOf(operands[i])[1];
    for (size_t index : {3 * i + 1, 3 * i + 2}) {
      Value given = node.getInput(index);
      if (i == 1 && rankOf(given) == 1 && shapeOf(given)[0] == columns)
        (index % 3 == 1 ? scales : zeros)[i] = given;
      else
        (index % 3 == 1 ? scales : zeros)[i] = wholeParameter(node, index);
    }
    if (node.hasFailed())
      return failure();
  }
  Value sum =
      integerProduct(node, operands[0], zeros[0], operands[1], zeros[1]);
  if (sum && node.hasInput(6))
    sum = node.eltwise(NPU_INSTR_add, {sum, node.getInput(6)});
  if (!sum)
    return failure();
  Type f32 = node.getBuilder().getF32Type();
  Value unit = node.eltwise(NPU_INSTR_mul, {scales[0], scales[1]});
  unit = node.eltwise(NPU_INSTR_mul, {unit, node.scalar(alpha, f32)});
  Value real = node.eltwise(NPU_INSTR_mul, {node.cast(sum, f32), unit});
  return node.hasInput(7) ? setQuantized(node, real, 7, 0)
                          : node.setResult(real);
}
