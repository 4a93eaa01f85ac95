// SPDX-License-Identifier: Apache-2.0
//
// Normalizations but for softmax.
#include "compiler/Frontend/TFLite/TfliteOps.h"

#include "compiler/Dialect/NPU/ShapeInference.h"

using namespace npu;

/// x / max(sqrt(sum of squares), 1e-6) along the last dimension.
LogicalResult npu::buildTfliteL2Norm(TfliteNode &node) {
  Value x = node.input(0);
  if (rankOf(x) < 1)
    return node.error("normalizes a scalar, expected rows");
  Value sum = node.reduce(node.two(NPU_INSTR_mul, x, x), ReduceKind::Sum,
                          {rankOf(x) - 1}, /*keepDims=*/true);
  Value norm = node.two(NPU_INSTR_max, node.one(NPU_INSTR_sqrt, sum),
                        node.float32(1e-6));
  Value result = node.two(NPU_INSTR_div, x, norm);
  return node.setResult(
      result ? node.activated(result, tfliteActivation(node.op)) : result);
}

/// x * (bias + alpha * the squares of its neighbours among the channels)^-beta.
LogicalResult npu::buildTfliteLrn(TfliteNode &node) {
  Value x = node.input(0);
  const auto *options =
      node.op.options<tflite::LocalResponseNormalizationOptions>();
  int64_t radius = options ? options->radius() : -1;
  if (rankOf(x) < 1 || radius < 0 || radius > 1 << 15)
    return node.error("has the radius " + Twine(radius) + " on data of shape " +
                      shapes::text(shapeOf(x)) +
                      ", expected 0 to 2^15 and channels");
  if (tensorType(x).getNumElements() == 0)
    return node.setResult(x);
  int64_t channels = shapeOf(x).back(), size = 2 * radius + 1;
  Ints rows{1, 1, tensorType(x).getNumElements() / channels, channels};
  // The mean over whole windows, beyond the border zeros, times their size.
  Value squares = node.reshape(node.two(NPU_INSTR_mul, x, x), rows);
  if (!squares)
    return failure();
  Value mean = node.create<AvgPoolOp>(
      rows, elementOf(x), squares, node.intArray({1, size}),
      node.intArray({1, 1}), node.intArray({0, radius, 0, radius}),
      node.intArray({1, 1}), node.getBuilder().getBoolAttr(true));
  Value sum = node.two(NPU_INSTR_mul, node.reshape(mean, shapeOf(x)),
                       node.float32(double(options->alpha()) * double(size)));
  Value power =
      node.two(NPU_INSTR_pow,
               node.two(NPU_INSTR_add, sum, node.float32(options->bias())),
               node.float32(-options->beta()));
  return node.setResult(node.two(NPU_INSTR_mul, x, power));
}
