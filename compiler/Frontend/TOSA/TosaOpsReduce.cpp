// SPDX-License-Identifier: Apache-2.0
//
// Reductions along one dimension, which stays with extent 1.
#include "compiler/Frontend/TOSA/TosaOps.h"

#include <cmath>

using namespace npu;

LogicalResult npu::buildTosaReduce(TosaNode &node) {
  Value x = node.getInput(0);
  double least = StringRef(node.row.word) == "max" ? -HUGE_VAL : HUGE_VAL;
  if (isa<mlir::FloatType>(elementOf(x)))
    x = node.withoutNan(x, node.scalar(least, elementOf(x)));
  return node.setResult(node.reduce(x, *symbolizeReduceKind(node.row.word),
                                    {node.getAxis()}, true));
}

LogicalResult npu::buildTosaReduceBool(TosaNode &node) {
  Value bits = node.cast(node.getInput(0), node.getBuilder().getI32Type());
  return node.setResult(
      node.cast(node.reduce(bits, *symbolizeReduceKind(node.row.word),
                            {node.getAxis()}, true),
                node.resultElement()));
}

LogicalResult npu::buildTosaArgMax(TosaNode &node) {
  Value x = node.getInput(0);
  int64_t axis = node.getAxis();
  if (isa<mlir::FloatType>(elementOf(x)))
    x = node.withoutNan(x, node.scalar(-HUGE_VAL, elementOf(x)));
  Value place = node.placeOfBest(x, axis, /*isLargest=*/true, /*isLast=*/false);
  if (!place)
    return failure();
  Ints shape(shapeOf(place));
  shape.erase(shape.begin() + axis);
  return node.setResult(
      node.cast(node.reshape(place, shape), node.resultElement()));
}
