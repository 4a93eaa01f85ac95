// SPDX-License-Identifier: Apache-2.0
//
// Reduce*.
#include "compiler/Frontend/ONNX/OnnxOps.h"

using namespace npu;

LogicalResult npu::buildReduce(OnnxNode &node) {
  // ReduceSum took its axes as an input before the others did.
  int sinceInput = StringRef(node.op.word) == "sum" ? 13 : 18;
  Value x = node.getInput(0);
  bool keepsDims = node.getFlag("keepdims", true);
  bool emptyIsNone = node.getFlag("noop_with_empty_axes", false);
  FailureOr<std::optional<Ints>> axes = node.intsOf("axes", 1, sinceInput);
  if (failed(axes))
    return failure();
  FailureOr<Ints> reduced =
      node.normalizeAxes(axes->value_or(Ints()), rankOf(x));
  if (failed(reduced))
    return failure();
  if (reduced->empty() && !emptyIsNone)
    reduced = countFrom(0, rankOf(x));
  if (!elementOf(x).isInteger(1))
    return node.setResult(node.reduce(x, *symbolizeReduceKind(node.op.word),
                                      *reduced, keepsDims));
  Type element = elementOf(x);
  // Of bytes: the largest of no elements is 0, the smallest is not.
  Value numbers =
      node.cast(x, node.getBuilder().getIntegerType(8, /*isSigned=*/false));
  return node.setResult(
      node.cast(node.reduce(numbers, *symbolizeReduceKind(node.op.word),
                            *reduced, keepsDims),
                element));
}
