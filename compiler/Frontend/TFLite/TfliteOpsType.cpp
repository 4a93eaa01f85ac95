// SPDX-License-Identifier: Apache-2.0
//
// Conversions between element types, exact and scaled.
#include "compiler/Frontend/TFLite/TfliteOps.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Frontend/Support/IntegerScale.h"

#include <cmath>

using namespace npu;
using tflite::Activation;

/// Without what follows the point.
static Value truncated(TfliteNode &node, Value x) {
  Value zero = node.float32(0);
  Value above = node.two(NPU_INSTR_max, node.one(NPU_INSTR_floor, x), zero);
  Value below = node.two(NPU_INSTR_min, node.one(NPU_INSTR_ceil, x), zero);
  return node.two(NPU_INSTR_add, above, below);
}

/// C's conversions: floats without their fraction, integers modulo 2^bits.
LogicalResult npu::buildTfliteCast(TfliteNode &node) {
  Value x = node.input(0);
  const tflite::Tensor *from = node.op.input(0), *to = node.op.output(0);
  Type result = node.resultElement();
  if (!x)
    return failure();
  // Bytes with a scale are converted as they are stored.
  if (isShiftedByte(*from))
    x = storedNumbers(node, x, *from);
  bool isWhole = isa<mlir::IntegerType>(result) && !result.isInteger(1);
  if (isa<mlir::FloatType>(elementOf(x)) && isWhole)
    x = node.cast(truncated(node, node.cast(x, node.f32())),
                  result.getIntOrFloatBitWidth() < 32 ? node.i32() : result);
  if (isShiftedByte(*to))
    x = heldNumbers(node, x, *to);
  return node.setResult(node.cast(x, result));
}

static LogicalResult quantizeFloats(TfliteNode &node,
                                    const TfliteScale &scale) {
  return node.setResult(quantize(node, node.input(0),
                                 node.float32(scale.scale()),
                                 node.number32(scale.zeroPoint()),
                                 node.resultElement(), Rounding::HalfAway));
}

LogicalResult npu::buildTfliteQuantize(TfliteNode &node) {
  FailureOr<TfliteScale> result = node.resultScale();
  if (failed(result))
    return failure();
  if (node.op.inputType(0) == tflite::TensorType::FLOAT32)
    return quantizeFloats(node, *result);
  FailureOr<TfliteScale> scale = node.inputScale(0);
  if (failed(scale))
    return failure();
  double factor = scale->scale() / result->scale();
  return node.setRequantized(node.input(0), factor, Activation::NONE,
                             scale->zeroPoint());
}

/// Scales of channels are along their dimension.
static Value dequantized(TfliteNode &node, Value x, const TfliteScale &scale) {
  if (!x)
    return x;
  if (scale.scales.size() == 1)
    return dequantize(node, x, node.float32(scale.scale()),
                      node.number32(scale.zeroPoint()));
  Ints shape(rankOf(x) - scale.axis, 1);
  shape[0] = int64_t(scale.scales.size());
  SmallVector<double> scales(scale.scales.begin(), scale.scales.end());
  SmallVector<int32_t> zeros(scale.zeroPoints.begin(), scale.zeroPoints.end());
  return dequantize(node, x, node.floats(scales, shape),
                    node.vectorAlong(zeros, 0, int64_t(shape.size())));
}

LogicalResult npu::buildTfliteDequantize(TfliteNode &node) {
  Value x = node.input(0);
  if (!x)
    return failure();
  if (isa<mlir::FloatType>(elementOf(x)))
    return node.setResult(node.cast(x, node.resultElement()));
  std::optional<TfliteScale> scale = tfliteScale(*node.op.input(0));
  if (!scale)
    return LogicalResult(node.scaleOf(node.op.input(0)));
  return node.setResult(dequantized(node, x, *scale));
}

/// A sparse constant, all elements of which are known when it is read.
LogicalResult npu::buildTfliteDensify(TfliteNode &node) {
  return node.setResult(node.input(0));
}

Value npu::tfliteFloats(TfliteNode &node, size_t index) {
  Value x = node.input(index);
  const tflite::Tensor *tensor = node.op.input(index);
  if (!x || !tensor || isa<mlir::FloatType>(elementOf(x)))
    return x ? node.cast(x, node.f32()) : x;
  std::optional<TfliteScale> scale = tfliteScale(*tensor);
  return scale ? dequantized(node, x, *scale) : node.cast(x, node.f32());
}

/// The range, moved so that 0 is a whole number of steps.
LogicalResult npu::buildTfliteFakeQuant(TfliteNode &node) {
  const auto *options = node.op.options<tflite::FakeQuantOptions>();
  int bits = options ? options->num_bits() : 0;
  if (bits < 2 || bits > 16 || !(options->min() < options->max()) ||
      options->min() > 0 || options->max() < 0)
    return node.unsupported("quantizes to " + Twine(bits) +
                            " bits, expected 2 to 16 and a range around 0");
  auto least = float(options->narrow_range() ? 1 : 0);
  auto most = float((1 << bits) - 1);
  float scale = (options->max() - options->min()) / (most - least);
  float zero = least - options->min() / scale;
  float nudged = zero < least ? least : zero > most ? most : std::round(zero);
  float low = (least - nudged) * scale, high = (most - nudged) * scale;
  float inverse = 1.0F / scale;
  Value clamped = node.eltwise(NPU_INSTR_clip, {node.input(0)}, low, high);
  Value steps = node.two(NPU_INSTR_mul,
                         node.two(NPU_INSTR_sub, clamped, node.float32(low)),
                         node.float32(inverse));
  Value whole = node.one(NPU_INSTR_floor,
                         node.two(NPU_INSTR_add, steps, node.float32(0.5)));
  return node.setResult(node.two(
      NPU_INSTR_add, node.two(NPU_INSTR_mul, whole, node.float32(scale)),
      node.float32(low)));
}
