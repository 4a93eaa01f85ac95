// SPDX-License-Identifier: Apache-2.0
//
// Elementwise functions of one operand.
#include "compiler/Frontend/TFLite/TfliteOps.h"
#include "compiler/Frontend/TFLite/TfliteShort.h"

#include "compiler/Dialect/NPU/ShapeInference.h"

#include <cmath>

using namespace npu;
using tflite::Activation;
using tflite::BuiltinOperator;

/// Functions of 16 bits that LiteRT interpolates in floats.
static LogicalResult buildInterpolated(TfliteNode &node,
                                       float (*function)(float)) {
  FailureOr<TfliteScale> from = node.inputScale(0), to = node.resultScale();
  if (failed(from) || failed(to))
    return failure();
  auto real = [](const TfliteScale &scale, int64_t stored) {
    return float(scale.scale()) * float(stored - scale.zeroPoint());
  };
  float span = real(*to, INT16_MAX) - real(*to, INT16_MIN);
  TfliteCurve<float> curve(real(*from, INT16_MIN), real(*from, INT16_MAX),
                           65536.0F / span, function);
  return node.setResult(tfliteShortLookUp(
      node, tfliteShortTable(node, [&](int32_t x) { return curve.at(x); }),
      node.input(0)));
}

/// Functions of 16 bits.
static LogicalResult buildCurve(TfliteNode &node) {
  switch (node.instr()) {
  case NPU_INSTR_exp:
    return buildInterpolated(node, [](float x) { return std::exp(x); });
  case NPU_INSTR_log:
    return buildInterpolated(node, [](float x) { return std::log(x); });
  case NPU_INSTR_rsqrt:
    return buildInterpolated(node, [](float x) { return 1 / std::sqrt(x); });
  default:
    break;
  }
  FailureOr<TfliteScale> scale = node.inputScale(0);
  if (failed(scale))
    return failure();
  TfliteThirds thirds(scale->scale());
  bool isTanh = node.instr() == NPU_INSTR_tanh;
  Value table = tfliteShortTable(node, [&](int32_t x) {
    return isTanh ? tfliteShortTanh(thirds.of(x))
                  : tfliteShortSigmoid(thirds.of(x));
  });
  return node.setResult(tfliteShortLookUp(node, table, node.input(0)));
}

static LogicalResult buildAbs(TfliteNode &node) {
  FailureOr<TfliteScale> from = node.inputScale(0), to = node.resultScale();
  if (failed(from) || failed(to))
    return failure();
  Value x =
      node.one(node.instr(), node.centered(node.input(0), from->zeroPoint()));
  if (from->scale() != to->scale())
    x = node.scaled(x, double(float(from->scale()) / float(to->scale())),
                    Rounding::Twice);
  return node.setQuantized(x, Activation::NONE);
}

LogicalResult npu::buildTfliteUnary(TfliteNode &node) {
  Value x = node.input(0);
  if (node.instr() == NPU_INSTR_abs && node.isQuantized(0))
    return buildAbs(node);
  // LiteRT turns stored numbers, whatever their zero point.
  if (node.instr() == NPU_INSTR_neg && node.isQuantized(0))
    return node.setResult(
        node.cast(node.one(NPU_INSTR_neg, node.cast(x, node.i32())),
                  node.resultElement()));
  if (x && isByte(elementOf(x)))
    return buildTfliteTable(node);
  if (x && elementOf(x).isInteger(16))
    return buildCurve(node);
  // The slope of ELU; others do not ask for it.
  return node.setResult(node.eltwise(node.instr(), {x}, /*alpha=*/1));
}

/// RELU, RELU6, RELU_N1_TO_1 and RELU_0_TO_1.
LogicalResult npu::buildTfliteRelu(TfliteNode &node) {
  BuiltinOperator kind = node.op.kind();
  bool isUnit = kind == BuiltinOperator::RELU_0_TO_1;
  Activation activation = kind == BuiltinOperator::RELU6 ? Activation::RELU6
                          : kind == BuiltinOperator::RELU_N1_TO_1
                              ? Activation::RELU_N1_TO_1
                              : Activation::RELU;
  if (!node.isQuantized(0)) {
    Value x = node.input(0);
    return node.setResult(isUnit ? node.eltwise(NPU_INSTR_clip, {x}, 0, 1)
                          : x    ? node.activated(x, activation)
                                 : x);
  }
  FailureOr<TfliteScale> scale = node.inputScale(0),
                         result = node.resultScale();
  if (failed(scale) || failed(result))
    return failure();
  float factor = float(scale->scale()) / float(result->scale());
  if (!isUnit)
    return node.setRequantized(node.input(0), double(factor), activation,
                               scale->zeroPoint());
  Value value = node.scaled(node.centered(node.input(0), scale->zeroPoint()),
                            double(factor), Rounding::Twice);
  TfliteRange from0 = quantizedRange(node.resultElement(), *result,
                                     Activation::RELU),
              to1 = quantizedRange(node.resultElement(), *result,
                                   Activation::RELU_N1_TO_1);
  return node.setResult(
      node.saturated(value, result->zeroPoint(), from0.low, to1.high));
}

/// Both branches of a function that is linear on each side of 0.
static LogicalResult setTwoSlopes(TfliteNode &node, double above,
                                  double below) {
  FailureOr<TfliteScale> scale = node.inputScale(0);
  if (failed(scale))
    return failure();
  Value x = node.centered(node.input(0), scale->zeroPoint());
  Value right = node.scaled(x, above, Rounding::Twice);
  if (below >= 0) {
    Value left = node.scaled(x, below, Rounding::Twice);
    return node.setQuantized(
        node.two(below <= above ? NPU_INSTR_max : NPU_INSTR_min, right, left),
        Activation::NONE);
  }
  Value left = node.scaled(node.one(NPU_INSTR_neg, x), -below, Rounding::Twice);
  Value isRight = node.two(NPU_INSTR_greater_equal, x, node.number32(0));
  return node.setQuantized(
      node.eltwise(NPU_INSTR_select, {isRight, right, left}), Activation::NONE);
}

LogicalResult npu::buildTfliteLeakyRelu(TfliteNode &node) {
  const auto *options = node.op.options<tflite::LeakyReluOptions>();
  float alpha = options ? options->alpha() : 0;
  if (!node.isQuantized(0))
    return node.setResult(
        node.eltwise(NPU_INSTR_leaky_relu, {node.input(0)}, alpha));
  FailureOr<TfliteScale> scale = node.inputScale(0),
                         result = node.resultScale();
  if (failed(scale) || failed(result))
    return failure();
  auto from = float(scale->scale()), to = float(result->scale());
  return setTwoSlopes(node, double(from / to), double(from * alpha / to));
}

LogicalResult npu::buildTflitePRelu(TfliteNode &node) {
  if (!node.isQuantized(0))
    return node.setResult(
        node.two(NPU_INSTR_prelu, node.input(0), node.input(1)));
  FailureOr<TfliteScale> scale = node.inputScale(0), slope = node.inputScale(1),
                         result = node.resultScale();
  if (failed(scale) || failed(slope) || failed(result))
    return failure();
  auto from = float(scale->scale()), to = float(result->scale());
  Value x = node.centered(node.input(0), scale->zeroPoint());
  Value product = node.two(NPU_INSTR_mul, x,
                           node.centered(node.input(1), slope->zeroPoint()));
  Value left = node.scaled(product, double(from * float(slope->scale()) / to),
                           Rounding::Twice);
  Value right = node.scaled(x, double(from / to), Rounding::Twice);
  Value isRight = node.two(NPU_INSTR_greater_equal, x, node.number32(0));
  return node.setQuantized(
      node.eltwise(NPU_INSTR_select, {isRight, right, left}), Activation::NONE);
}

LogicalResult npu::buildTfliteGelu(TfliteNode &node) {
  if (node.isQuantized(0))
    return buildTfliteTable(node);
  const auto *options = node.op.options<tflite::GeluOptions>();
  bool isApproximate = options && options->approximate();
  return node.setResult(node.one(
      isApproximate ? NPU_INSTR_gelu_tanh : NPU_INSTR_gelu_erf, node.input(0)));
}

/// x * min(max(x + 3, 0), 6) / 6, in this order.
LogicalResult npu::buildTfliteHardSwish(TfliteNode &node) {
  if (node.isQuantized(0))
    return buildTfliteTable(node);
  Value x = node.input(0);
  Value bounded = node.eltwise(
      NPU_INSTR_clip, {node.two(NPU_INSTR_add, x, node.float32(3))}, 0, 6);
  return node.setResult(node.two(NPU_INSTR_mul,
                                 node.two(NPU_INSTR_mul, x, bounded),
                                 node.float32(1.0F / 6)));
}

LogicalResult npu::buildTfliteSquare(TfliteNode &node) {
  return node.setResult(node.two(NPU_INSTR_mul, node.input(0), node.input(0)));
}

LogicalResult npu::buildTfliteZerosLike(TfliteNode &node) {
  Value x = node.input(0);
  return node.setResult(x ? node.filled(0, shapeOf(x), elementOf(x)) : x);
}
