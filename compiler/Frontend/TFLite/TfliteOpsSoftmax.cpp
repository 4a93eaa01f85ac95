// SPDX-License-Identifier: Apache-2.0
//
// Softmax: of bytes in gemmlowp's fixed-point numbers, as LiteRT has it.
#include "compiler/Frontend/TFLite/TfliteFixed.h"
#include "compiler/Frontend/TFLite/TfliteOps.h"
#include "compiler/Frontend/TFLite/TfliteShort.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/Support/IntegerScale.h"

#include <cmath>

using namespace npu;

/// Bytes to bytes or to i16. The result's scale is fixed: one step is 2^-8 or
/// 2^-16.
static LogicalResult softmaxOfBytes(TfliteNode &node, double beta) {
  Value x = node.cast(node.input(0), node.i32());
  FailureOr<TfliteScale> scale = node.inputScale(0);
  if (failed(scale))
    return failure();
  int64_t last = rankOf(x) - 1;
  int64_t bits = node.resultElement().getIntOrFloatBitWidth();
  Value largest = node.reduce(x, ReduceKind::Max, {last}, true);
  Value index = node.two(NPU_INSTR_add, node.two(NPU_INSTR_sub, x, largest),
                         node.number32(255));
  DifferenceScale step(beta * scale->scale());
  Value exps = lookUp(node, node.vectorAlong(step.exponentials(), 0, 1), index);
  auto shifted = [&](Value value, Value by) { // halves upwards
    return node.eltwise(NPU_INSTR_mul_shift, {value, node.number32(1), by});
  };
  // Twelve bits before the point are enough for the sum of a row.
  Value sum = node.reduce(shifted(exps, node.number32(12)), ReduceKind::Sum,
                          {last}, true);
  Value zeros = node.one(NPU_INSTR_clz, sum);
  Value unit = node.two(NPU_INSTR_shift_left, sum,
                        node.two(NPU_INSTR_sub, zeros, node.number32(1)));
  Value product = node.eltwise(
      NPU_INSTR_mul_shift, {exps, reciprocalOf(node, unit), node.number32(30)});
  Value result = shifted(
      product, node.two(NPU_INSTR_sub, node.number32(43 - bits), zeros));
  int64_t half = int64_t(1) << (bits - 1);
  return node.setResult(node.saturated(result, -half, -half, half - 1));
}

// --- 16 bits -----------------------------------------------------------------

/// exp(beta * scale * d) in units of 2^-15, for d = -65535 to 0; what is below
/// exp(-10) is exp(-10).
static Value exponentials16(TfliteNode &node, double betaTimesScale) {
  TfliteCurve<double> curve(-10, 0, 32768,
                            [](double x) { return std::exp(x); });
  TfliteMultiplier step = multiplierOf(betaTimesScale / (10.0 / 65535));
  int left = std::clamp(31 - step.shift, 0, 31),
      right = std::max(step.shift - 31, 0);
  std::vector<int16_t> numbers;
  for (int32_t d = -65535; d <= 0; ++d) {
    int32_t place = Fixed::divided(
        Fixed::product(Fixed::multiplied(d, left), step.multiplier), right);
    place = std::clamp(place, -65535, 0) + 32767;
    numbers.push_back(static_cast<int16_t>(curve.at(place)));
  }
  auto type = RankedTensorType::get({65536}, node.resultElement());
  return node.constant(makeElements(
      type, ArrayRef(reinterpret_cast<const char *>(numbers.data()),
                     numbers.size() * sizeof(int16_t))));
}

/// i16 to i16. The result's scale is fixed: one step is 2^-15.
static LogicalResult softmaxOfShorts(TfliteNode &node, double beta) {
  Value x = node.cast(node.input(0), node.i32());
  FailureOr<TfliteScale> scale = node.inputScale(0);
  if (failed(scale))
    return failure();
  int64_t last = rankOf(x) - 1;
  Value largest = node.reduce(x, ReduceKind::Max, {last}, true);
  Value index = node.two(NPU_INSTR_add, node.two(NPU_INSTR_sub, x, largest),
                         node.number32(65535));
  Value exps = node.cast(
      lookUp(node, exponentials16(node, beta * scale->scale()), index),
      node.i32());
  Value sum = node.reduce(exps, ReduceKind::Sum, {last}, true);
  Value zeros = node.one(NPU_INSTR_clz, sum);
  // From 1 to 2 in units of 2^-16, and 1 / (1 + x) of what is above 1.
  Value unit = node.two(NPU_INSTR_shift_left, sum,
                        node.two(NPU_INSTR_sub, zeros, node.number32(1)));
  unit = node.eltwise(NPU_INSTR_mul_shift,
                      {unit, node.number32(1), node.number32(14)});
  unit = node.two(NPU_INSTR_sub, unit, node.number32((1 << 15) + (1 << 16)));
  unit = node.eltwise(NPU_INSTR_clip, {unit}, -32768, 32767);
  TfliteCurve<double> reciprocals(0, 1, 32768,
                                  [](double x) { return 1 / (1 + x); });
  Value result = node.eltwise(
      NPU_INSTR_mul_shift, {exps, reciprocals.at(node, unit),
                            node.two(NPU_INSTR_sub, node.number32(31), zeros)});
  return node.setResult(node.saturated(result, 0, 0, 32767));
}

LogicalResult npu::buildTfliteSoftmax(TfliteNode &node) {
  Value x = node.input(0);
  const auto *options = node.op.options<tflite::SoftmaxOptions>();
  float beta = options ? options->beta() : 0;
  if (rankOf(x) < 1 || shapeOf(x).back() == 0)
    return node.error("has data of shape " + shapes::text(shapeOf(x)) +
                      ", expected rows");
  bool isFloat = isa<mlir::FloatType>(elementOf(x));
  if (!isFloat && !(beta > 0))
    return node.error("has a beta that is not above 0");
  if (node.op.outputType(0) != tflite::TensorType::INT16 &&
      failed(node.checkKeepsType(0)))
    return failure();
  if (isByte(elementOf(x)))
    return softmaxOfBytes(node, beta);
  if (!isFloat)
    return softmaxOfShorts(node, beta);
  if (beta != 1)
    x = node.two(NPU_INSTR_mul, x, node.float32(beta));
  return node.setResult(node.softmax(x, rankOf(x) - 1, /*isLog=*/false));
}
