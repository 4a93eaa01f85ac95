// SPDX-License-Identifier: Apache-2.0
//
// MatMul, Gemm, Softmax.
#include "compiler/Frontend/ONNX/OnnxArithmetic.h"
#include "compiler/Frontend/ONNX/OnnxOps.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/ONNX/OnnxQuantize.h"

using namespace npu;

Value npu::productOf(OnnxNode &node, Value a, Value b) {
  bool isRow = rankOf(a) == 1, isColumn = rankOf(b) == 1;
  if (rankOf(a) == 0 || rankOf(b) == 0)
    return node.fail("found a scalar operand, expected vectors or matrices");
  if (isRow)
    a = node.reshape(a, {1, shapeOf(a)[0]});
  if (isColumn)
    b = node.reshape(b, {shapeOf(b)[0], 1});
  Value product = multiplyDequantized(node, a, b);
  if (!product)
    return product;
  Ints shape(shapeOf(product));
  if (isColumn)
    shape.pop_back();
  if (isRow)
    shape.erase(shape.end() - (isColumn ? 1 : 2));
  return node.reshape(product, shape);
}

LogicalResult npu::buildMatMul(OnnxNode &node) {
  return node.setResult(productOf(node, node.getInput(0), node.getInput(1)));
}

/// Multiplied into a constant if one of the two is one.
static Value scaled(OnnxNode &node, Value value, double factor) {
  if (factor == 1)
    return value;
  return node.eltwise(NPU_INSTR_mul,
                      {value, node.scalar(factor, elementOf(value))});
}

/// The bias broadcasts to the product, but not the product to the bias.
static LogicalResult checkBias(OnnxNode &node, Value product) {
  std::string reason;
  FailureOr<shapes::Shape> shape =
      shapes::broadcast({shapes::Shape(shapeOf(product)),
                         shapes::Shape(shapeOf(node.getInput(2)))},
                        reason);
  if (failed(shape) || ArrayRef<int64_t>(*shape) != shapeOf(product))
    return node.error("found a bias of shape " +
                      shapes::text(shapeOf(node.getInput(2))) +
                      ", expected one that broadcasts to the product, " +
                      shapes::text(shapeOf(product)));
  return success();
}

Value npu::gemmOf(OnnxNode &node) {
  Value a = node.getInput(0), b = node.getInput(1);
  double alpha = node.getFloat("alpha", 1), beta = node.getFloat("beta", 1);
  bool transposesA = node.getFlag("transA", false);
  bool transposesB = node.getFlag("transB", false);
  node.ignore({"broadcast"});
  if (rankOf(a) != 2 || rankOf(b) != 2)
    return node.fail("found operands of shape " + shapes::text(shapeOf(a)) +
                     " and " + shapes::text(shapeOf(b)) +
                     ", expected matrices");
  if (transposesA)
    a = transposeDequantized(node, a);
  if (transposesB)
    b = transposeDequantized(node, b);
  if (!a || !b)
    return Value();
  // Fusion brings the factor into constant weights where that does not show.
  Value product = multiplyDequantized(node, a, b);
  if (product)
    product = scaled(node, product, alpha);
  if (product && node.hasInput(2) && failed(checkBias(node, product)))
    return Value();
  if (product && node.hasInput(2) && beta != 0)
    product = node.eltwise(NPU_INSTR_add,
                           {product, scaled(node, node.getInput(2), beta)});
  return product;
}

LogicalResult npu::buildGemm(OnnxNode &node) {
  return node.setResult(gemmOf(node));
}

LogicalResult npu::buildEyeLike(OnnxNode &node) {
  Value x = node.getInput(0);
  int64_t shift = node.getInt("k", 0, -INT32_MAX, INT32_MAX);
  Type element = elementOf(x);
  if (node.hasAttribute("dtype")) {
    FailureOr<Type> given = node.typeOf(node.getInt("dtype", 0));
    if (failed(given))
      return failure();
    element = *given;
  }
  if (rankOf(x) != 2)
    return node.error("found data of shape " + shapes::text(shapeOf(x)) +
                      ", expected a matrix");
  Type i64 = node.getBuilder().getI64Type();
  Value rows = node.countAlong(shapeOf(x)[0], 0, 2, i64);
  Value columns = node.countAlong(shapeOf(x)[1], 1, 2, i64);
  Value isOn = equal(node, plus(node, rows, double(shift)), columns);
  return node.setResult(node.cast(isOn, element));
}

/// One step of an elimination with pivots: matrices (N, n, n) become (N, n - 1,
/// n - 1), `determinant` (N) takes the pivot.
static Value eliminate(OnnxNode &node, Value matrices, Value &determinant) {
  int64_t count = shapeOf(matrices)[0], n = shapeOf(matrices)[1];
  Type element = elementOf(matrices);
  Value column = node.slice(matrices, {0, 0, 0}, {1, 1, 1}, {count, n, 1});
  Value size = node.eltwise(NPU_INSTR_abs, column);
  Value place =
      node.create<TopKOp>({count, 1, 1}, node.getBuilder().getI64Type(), size,
                          node.getBuilder().getI64IntegerAttr(1),
                          node.getBuilder().getBoolAttr(true));
  Value isPivot = equal(
      node, node.countAlong(n, 1, 3, node.getBuilder().getI64Type()), place);
  Value zero = node.scalar(0, element);
  Value pivotRow = node.reduce(select(node, isPivot, matrices, zero),
                               ReduceKind::Sum, 1, true);
  Value pivot = node.slice(pivotRow, {0, 0, 0}, {1, 1, 1}, {count, 1, 1});
  // The first row takes the pivot's place, which turns the sign.
  Value turned = select(node, equal(node, place, 0), pivot,
                        node.eltwise(NPU_INSTR_neg, pivot));
  determinant = multiply(node, determinant, node.reshape(turned, count));
  Value first = node.slice(matrices, {0, 0, 0}, {1, 1, 1}, {count, 1, n});
  Value swapped = select(node, isPivot, first, matrices);
  // Where no pivot is left the determinant is 0 already.
  Value divisor =
      select(node, equal(node, pivot, 0), node.scalar(1, element), pivot);
  Value factors =
      divide(node, node.slice(swapped, {0, 1, 0}, {1, 1, 1}, {count, n - 1, 1}),
             divisor);
  Value right = node.slice(pivotRow, {0, 0, 1}, {1, 1, 1}, {count, 1, n - 1});
  Value rest = node.slice(swapped, {0, 1, 1}, {1, 1, 1}, {count, n - 1, n - 1});
  return subtract(node, rest, multiply(node, factors, right));
}

LogicalResult npu::buildDet(OnnxNode &node) {
  constexpr int64_t largest = 64;
  Value x = node.getInput(0);
  Ints shape(shapeOf(x));
  if (shape.size() < 2 || shape.back() != shape[shape.size() - 2])
    return node.error("found data of shape " + shapes::text(shape) +
                      ", expected square matrices");
  if (shape.back() > largest)
    return node.unsupported("found data of shape " + shapes::text(shape) +
                            ", expected matrices of at most " + Twine(largest) +
                            " rows");
  Type element = elementOf(x);
  int64_t n = shape.pop_back_val();
  shape.pop_back();
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  Value matrices =
      node.reshape(node.cast(x, node.getBuilder().getF32Type()), {count, n, n});
  Value determinant = node.filled(1, count, node.getBuilder().getF32Type());
  for (; n > 1 && !node.hasFailed(); --n)
    matrices = eliminate(node, matrices, determinant);
  if (n > 0)
    determinant = multiply(node, determinant, node.reshape(matrices, count));
  return node.setResult(node.cast(node.reshape(determinant, shape), element));
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
