// SPDX-License-Identifier: Apache-2.0
//
// Losses: how probable the right class is. Classes are dimension 1.
#include "compiler/Frontend/ONNX/OnnxArithmetic.h"
#include "compiler/Frontend/ONNX/OnnxOps.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"

#include <optional>

using namespace npu;

/// Data (N, C, ...), classes (N, ...), weights (C).
static LogicalResult checkLoss(OnnxNode &node) {
  ArrayRef<int64_t> data = shapeOf(node.getInput(0));
  Ints expected(data);
  if (data.size() >= 2)
    expected.erase(expected.begin() + 1);
  Value classes = node.getInput(1);
  if (data.size() < 2 || shapeOf(classes) != ArrayRef<int64_t>(expected))
    return node.error("found data of shape " + shapes::text(data) +
                      " and classes of shape " +
                      shapes::text(shapeOf(classes)) +
                      ", expected N, C, ... and the same without C");
  if (node.hasInput(2) &&
      shapeOf(node.getInput(2)) != ArrayRef<int64_t>(data[1]))
    return node.error("found weights of shape " +
                      shapes::text(shapeOf(node.getInput(2))) + ", expected " +
                      Twine(data[1]) + ", the number of classes");
  return success();
}

/// Classes that are known; from the end on as onnxruntime counts them.
static LogicalResult checkClasses(OnnxNode &node, int64_t count,
                                  std::optional<int64_t> ignored) {
  ElementsAttr known = constantOf(node.getInput(1));
  if (!known)
    return success();
  for (int64_t index : elementInts(known))
    if ((index < -count || index >= count) && index != ignored)
      return node.error("found the class " + Twine(index) + ", expected " +
                        Twine(-count) + " to " + Twine(count - 1));
  return success();
}

/// -logarithm[class] * weight[class], 0 for classes that are ignored.
static LogicalResult buildLoss(OnnxNode &node, Value logarithms) {
  std::string reduction =
      node.getWord("reduction", "mean", {"none", "sum", "mean"});
  bool ignores = node.hasAttribute("ignore_index");
  int64_t ignored = node.getInt("ignore_index", 0);
  if (node.hasFailed() || !logarithms ||
      failed(checkClasses(node, shapeOf(logarithms)[1],
                          ignores ? std::optional(ignored) : std::nullopt)))
    return failure();
  Value classes = node.getInput(1);
  Ints shape(shapeOf(classes)), column = shape;
  column.insert(column.begin() + 1, 1);
  Type element = elementOf(logarithms);
  Value counts;
  if (ignores) {
    Type type = elementOf(classes);
    counts = node.eltwise(
        NPU_INSTR_logical_not,
        {equal(node, classes,
               node.cast(node.reshape(node.ints(ignored), {}), type))});
    classes = select(node, counts, classes, node.scalar(0, type));
  }
  Value weight = node.filled(1, shape, element);
  if (node.hasInput(2))
    weight = node.create<GatherOp>(shape, element, node.getInput(2), classes,
                                   node.getBuilder().getI64IntegerAttr(0));
  if (ignores)
    weight = select(node, counts, weight, node.scalar(0, element));
  Value picked =
      node.gatherElements(logarithms, node.reshape(classes, column), 1);
  Value loss = multiply(
      node, node.eltwise(NPU_INSTR_neg, node.reshape(picked, shape)), weight);
  if (reduction == "none")
    return node.setResult(loss);
  Ints all = countFrom(0, static_cast<int64_t>(shape.size()));
  Value sum = node.reduce(loss, ReduceKind::Sum, all, false);
  if (reduction == "mean")
    sum = divide(node, sum, node.reduce(weight, ReduceKind::Sum, all, false));
  return node.setResult(sum);
}

LogicalResult npu::buildNegativeLogLikelihoodLoss(OnnxNode &node) {
  if (failed(checkLoss(node)))
    return failure();
  return buildLoss(node, node.getInput(0));
}

LogicalResult npu::buildSoftmaxCrossEntropyLoss(OnnxNode &node) {
  if (failed(checkLoss(node)))
    return failure();
  Value logarithms = node.softmax(node.getInput(0), 1, /*isLog=*/true);
  if (node.hasOutput(1) && failed(node.setResult(1, logarithms)))
    return failure();
  return buildLoss(node, logarithms);
}
