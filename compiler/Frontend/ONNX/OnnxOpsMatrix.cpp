// SPDX-License-Identifier: Apache-2.0
//
// MatMul, Gemm, Softmax.
#include "compiler/Frontend/ONNX/OnnxOps.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/ONNX/OnnxQuantize.h"

using namespace npu;

/// A vector is a row on the left, a column on the right; its dimension is not
/// in the result.
LogicalResult npu::buildMatMul(OnnxNode &node) {
  Value a = node.getInput(0), b = node.getInput(1);
  bool isRow = rankOf(a) == 1, isColumn = rankOf(b) == 1;
  if (rankOf(a) == 0 || rankOf(b) == 0)
    return node.error("found a scalar operand, expected vectors or matrices");
  if (isRow)
    a = node.reshape(a, {1, shapeOf(a)[0]});
  if (isColumn)
    b = node.reshape(b, {shapeOf(b)[0], 1});
  Value product = multiplyDequantized(node, a, b);
  if (!product)
    return failure();
  Ints shape(shapeOf(product));
  if (isColumn)
    shape.pop_back();
  if (isRow)
    shape.erase(shape.end() - (isColumn ? 1 : 2));
  return node.setResult(node.reshape(product, shape));
}

/// Multiplied into a constant if one of the two is one.
static Value scaled(OnnxNode &node, Value value, double factor) {
  if (factor == 1)
    return value;
  return node.eltwise(NPU_INSTR_mul,
                      {value, node.scalar(factor, elementOf(value))});
}

LogicalResult npu::buildGemm(OnnxNode &node) {
  Value a = node.getInput(0), b = node.getInput(1);
  double alpha = node.getFloat("alpha", 1), beta = node.getFloat("beta", 1);
  bool transposesA = node.getFlag("transA", false);
  bool transposesB = node.getFlag("transB", false);
  node.ignore({"broadcast"});
  if (rankOf(a) != 2 || rankOf(b) != 2)
    return node.error("found operands of shape " + shapes::text(shapeOf(a)) +
                      " and " + shapes::text(shapeOf(b)) +
                      ", expected matrices");
  if (transposesA)
    a = transposeDequantized(node, a);
  if (transposesB)
    b = transposeDequantized(node, b);
  if (!a || !b)
    return failure();
  bool isConstant = constantOf(b) != nullptr;
  Value product =
      multiplyDequantized(node, a, isConstant ? scaled(node, b, alpha) : b);
  if (product && !isConstant)
    product = scaled(node, product, alpha);
  if (product && node.hasInput(2) && beta != 0)
    product = node.eltwise(NPU_INSTR_add,
                           {product, scaled(node, node.getInput(2), beta)});
  return node.setResult(product);
}

/// Before opset 13 the dimensions from `axis` on are one.
static Value flatSoftmax(OnnxNode &node, Value x, int64_t axis, bool isLog) {
  Ints shape(shapeOf(x));
  Ints flat{1, 1};
  for (auto [i, extent] : llvm::enumerate(shape))
    flat[int64_t(i) >= axis] *= extent;
  if (flat[1] == shape[axis])
    return node.softmax(x, axis, isLog);
  return node.reshape(node.softmax(node.reshape(x, flat), 1, isLog), shape);
}

Value npu::softmaxOf(OnnxNode &node, Value x, int64_t axis, bool isFlat,
                     bool isLog) {
  return isFlat ? flatSoftmax(node, x, axis, isLog)
                : node.softmax(x, axis, isLog);
}

LogicalResult npu::buildSoftmax(OnnxNode &node) {
  Value x = node.getInput(0);
  bool isLog = StringRef(node.op.word) == "log";
  bool isFlat = node.version < 13;
  if (rankOf(x) == 0)
    return node.error("found a scalar, expected one dimension or more");
  FailureOr<int64_t> axis = node.getAxis("axis", isFlat ? 1 : -1, rankOf(x));
  if (failed(axis))
    return failure();
  return node.setResult(softmaxOf(node, x, *axis, isFlat, isLog));
}
