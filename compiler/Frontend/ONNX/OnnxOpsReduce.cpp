// SPDX-License-Identifier: Apache-2.0
//
// Reduce*.
#include "compiler/Frontend/ONNX/OnnxArithmetic.h"
#include "compiler/Frontend/ONNX/OnnxOps.h"

using namespace npu;

static Value logarithmOf(OnnxNode &node, Value integers) {
  return node.eltwise(NPU_INSTR_log,
                      node.cast(integers, node.getBuilder().getF32Type()));
}

/// log(sum(exp(x))) of integers as onnxruntime has it: exp(x - max) is an
/// integer, too, so that it counts the largest elements. The logarithm of that
/// many is added to the largest, and what is behind the point cut off, towards
/// 0; without the largest in f32, which may not hold it.
static Value logSumExpOfIntegers(OnnxNode &node, Value x,
                                 ArrayRef<int64_t> axes, bool keepsDims) {
  Type type = elementOf(x);
  Value isLargest =
      equal(node, x, node.reduce(x, ReduceKind::Max, axes, /*keepDims=*/true));
  Value count =
      node.reduce(node.cast(isLargest, type), ReduceKind::Sum, axes, keepsDims);
  // Of no elements the smallest number is the largest, and stays.
  count = count ? node.eltwise(NPU_INSTR_max, {count, node.scalar(1, type)})
                : count;
  Value largest = node.reduce(x, ReduceKind::Max, axes, keepsDims);
  Value more = logarithmOf(node, count);
  Value below =
      add(node, largest, node.cast(node.eltwise(NPU_INSTR_floor, more), type));
  Value above =
      add(node, largest, node.cast(node.eltwise(NPU_INSTR_ceil, more), type));
  if (node.hasFailed())
    return Value();
  Value isNegative =
      node.eltwise(NPU_INSTR_less, {below, node.scalar(0, type)});
  return select(node, isNegative, above, below);
}

static Value reduced(OnnxNode &node, Value x, ArrayRef<int64_t> axes,
                     bool keepsDims) {
  ReduceKind kind = *symbolizeReduceKind(node.op.word);
  bool isReal = isa<mlir::FloatType>(elementOf(x));
  if (!isReal && kind == ReduceKind::LogSumExp)
    return logSumExpOfIntegers(node, x, axes, keepsDims);
  if (!isReal && kind == ReduceKind::LogSum)
    return node.cast(
        logarithmOf(node, node.reduce(x, ReduceKind::Sum, axes, keepsDims)),
        elementOf(x));
  return node.reduce(x, kind, axes, keepsDims);
}

LogicalResult npu::buildReduce(OnnxNode &node) {
  // ReduceSum took its axes as an input before the others did.
  int sinceInput = StringRef(node.op.word) == "sum" ? 13 : 18;
  Value x = node.getInput(0);
  bool keepsDims = node.getFlag("keepdims", true);
  bool emptyIsNone = node.getFlag("noop_with_empty_axes", false);
  FailureOr<std::optional<Ints>> axes = node.intsOf("axes", 1, sinceInput);
  if (failed(axes))
    return failure();
  FailureOr<Ints> named = node.normalizeAxes(axes->value_or(Ints()), rankOf(x));
  if (failed(named))
    return failure();
  if (named->empty() && !emptyIsNone)
    named = countFrom(0, rankOf(x));
  if (!elementOf(x).isInteger(1))
    return node.setResult(reduced(node, x, *named, keepsDims));
  Type element = elementOf(x);
  // Of bytes: the largest of no elements is 0, the smallest is not.
  Value numbers =
      node.cast(x, node.getBuilder().getIntegerType(8, /*isSigned=*/false));
  return node.setResult(
      node.cast(reduced(node, numbers, *named, keepsDims), element));
}
