// SPDX-License-Identifier: Apache-2.0
//
// Normalizations but for softmax.
#include "compiler/Frontend/TFLite/TfliteOps.h"

#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/Support/Windows.h"

using namespace npu;

// --- Quantized rows of length 1 ----------------------------------------------

namespace {
/// number / 2^(31 + shift).
struct InverseRoot {
  Value number, shift;
};
} // namespace

/// 1 / sqrt(sum) of whole numbers, by five of Newton's steps: LiteRT's, in
/// gemmlowp's fixed-point numbers.
static InverseRoot inverseRoot(TfliteNode &node, Value sum) {
  auto product = [&](Value a, Value b) {
    return node.eltwise(NPU_INSTR_mul_shift, {a, b, node.number32(31)});
  };
  auto scaledUp = [&](Value x, Value places) {
    return node.two(NPU_INSTR_shift_left, x, places);
  };
  // As many pairs of bits as leave two free; of large sums one falls off.
  Value isLarge =
      node.cast(node.two(NPU_INSTR_greater_equal, sum, node.number32(1 << 29)),
                node.i32());
  Value two = node.number32(2), one = node.number32(1);
  Value x = node.two(NPU_INSTR_shift_right, sum,
                     node.two(NPU_INSTR_mul, isLarge, two));
  Value pairs =
      node.two(NPU_INSTR_shift_right,
               node.two(NPU_INSTR_sub, node.one(NPU_INSTR_clz, x), one), one);
  pairs = node.two(NPU_INSTR_sub, pairs, one);
  x = scaledUp(x, node.two(NPU_INSTR_mul, pairs, two));
  Value shift =
      node.two(NPU_INSTR_sub,
               node.two(NPU_INSTR_add, isLarge, node.number32(11)), pairs);
  // From 1/4 to 1 in units of 2^-28, and half of it.
  x = node.two(NPU_INSTR_shift_right, x, one);
  Value half = node.eltwise(NPU_INSTR_mul_shift, {x, one, one});
  Value root = node.number32(1 << 28);
  for (int i = 0; i < 5; ++i) {
    Value cube = scaledUp(product(product(root, root), root), node.number32(6));
    Value step = node.two(NPU_INSTR_sub,
                          product(node.number32((1 << 28) + (1 << 27)), root),
                          product(half, cube));
    root = scaledUp(step, node.number32(3));
  }
  root = product(root, node.number32(1518500250)); // sqrt(1/2)
  Value zero = node.number32(0);
  Value missing = node.two(NPU_INSTR_max, node.one(NPU_INSTR_neg, shift), zero);
  Value isSmall = node.two(NPU_INSTR_less, sum, two);
  return {node.eltwise(NPU_INSTR_select, {isSmall, node.number32(INT32_MAX),
                                          scaledUp(root, missing)}),
          node.eltwise(NPU_INSTR_select,
                       {isSmall, zero, node.two(NPU_INSTR_max, shift, zero)})};
}

/// The result's scale is fixed: one step is 2^-7.
static LogicalResult quantizedL2Norm(TfliteNode &node) {
  FailureOr<TfliteScale> scale = node.inputScale(0);
  if (failed(scale) || failed(node.checkKeepsType(0)))
    return failure();
  Value x = node.centered(node.input(0), scale->zeroPoint());
  Value sum = node.reduce(node.two(NPU_INSTR_mul, x, x), ReduceKind::Sum,
                          {rankOf(x) - 1}, /*keepDims=*/true);
  InverseRoot root = inverseRoot(node, sum);
  // LiteRT multiplies u8 by 128 before it rounds, i8 afterwards.
  bool isUnsigned = node.op.inputType(0) == tflite::TensorType::UINT8;
  if (isUnsigned)
    x = node.two(NPU_INSTR_mul, x, node.number32(128));
  Value shift =
      node.two(NPU_INSTR_add, root.shift, node.number32(isUnsigned ? 31 : 24));
  Value result = node.eltwise(NPU_INSTR_mul_shift, {x, root.number, shift},
                              /*alpha=*/1);
  return node.setResult(node.saturated(result, 0, -128, 127));
}

/// x / max(sqrt(sum of squares), 1e-6) along the last dimension.
LogicalResult npu::buildTfliteL2Norm(TfliteNode &node) {
  Value x = node.input(0);
  if (rankOf(x) < 1)
    return node.error("normalizes a scalar, expected rows");
  if (tfliteActivation(node.op) != tflite::Activation::NONE)
    return node.unsupported("has a fused activation, which LiteRT has not");
  if (node.isQuantized(0))
    return quantizedL2Norm(node);
  Value sum = node.reduce(node.two(NPU_INSTR_mul, x, x), ReduceKind::Sum,
                          {rankOf(x) - 1}, /*keepDims=*/true);
  Value norm = node.two(NPU_INSTR_max, node.one(NPU_INSTR_sqrt, sum),
                        node.float32(1e-6));
  return node.setResult(node.two(NPU_INSTR_div, x, norm));
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
  PoolWindow window{
      {1, size}, {1, 1}, {0, radius, 0, radius}, {1, 1}, {rows[2], channels}};
  Value mean = averagePool(node, squares, window, /*countsPadding=*/true);
  Value sum = node.two(NPU_INSTR_mul, node.reshape(mean, shapeOf(x)),
                       node.float32(double(options->alpha()) * double(size)));
  Value power =
      node.two(NPU_INSTR_pow,
               node.two(NPU_INSTR_add, sum, node.float32(options->bias())),
               node.float32(-options->beta()));
  return node.setResult(node.two(NPU_INSTR_mul, x, power));
}
