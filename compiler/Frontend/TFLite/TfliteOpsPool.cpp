// SPDX-License-Identifier: Apache-2.0
//
// Pooling.
#include "compiler/Frontend/TFLite/TfliteOps.h"
#include "compiler/Frontend/TFLite/TfliteWindow.h"

#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/Support/IntegerScale.h"

using namespace npu;

static FailureOr<PoolWindow> readWindow(TfliteNode &node) {
  const auto *options = node.options<tflite::Pool2DOptions>();
  Value data = node.input(0);
  if (!data || !options)
    return failure();
  if (rankOf(data) != 4)
    return node.error("pools " + shapes::text(shapeOf(data)) +
                      ", expected an image");
  PoolWindow window{{options->filter_height(), options->filter_width()},
                    {options->stride_h(), options->stride_w()},
                    {},
                    {1, 1},
                    {}};
  ArrayRef<int64_t> image = shapeOf(data).slice(1, 2);
  window.pads = tflitePads(image, window.kernel, window.strides,
                           window.dilations, options->padding());
  if (failed(fitWindow(node, window, image)))
    return failure();
  return window;
}

/// Bounds of what a pool gives: quantized numbers keep their scale.
static LogicalResult setPooled(TfliteNode &node, Value pooled) {
  Value result = channelsLast(node, pooled);
  tflite::Activation activation = tfliteActivation(node.op);
  if (!result || isa<mlir::FloatType>(elementOf(result)))
    return node.setResult(result ? node.activated(result, activation) : result);
  if (activation != tflite::Activation::NONE) {
    FailureOr<TfliteScale> scale = node.resultScale();
    if (failed(scale))
      return failure();
    TfliteRange range = quantizedRange(elementOf(result), *scale, activation);
    result = node.eltwise(NPU_INSTR_clip, {result}, double(range.low),
                          double(range.high));
  }
  return node.setResult(result);
}

LogicalResult npu::buildTfliteMaxPool(TfliteNode &node) {
  FailureOr<PoolWindow> window = readWindow(node);
  if (failed(window))
    return failure();
  Value data = channelsFirst(node, node.input(0));
  bool isFloat = data && isa<mlir::FloatType>(elementOf(data));
  return setPooled(node, maxPool(node, data, *window, /*keepsNan=*/isFloat));
}

/// The root of the mean of the squares.
LogicalResult npu::buildTfliteL2Pool(TfliteNode &node) {
  FailureOr<PoolWindow> window = readWindow(node);
  if (failed(window))
    return failure();
  Value data = channelsFirst(node, node.input(0));
  Value squares = node.two(NPU_INSTR_mul, data, data);
  return setPooled(
      node, node.one(NPU_INSTR_sqrt, averagePool(node, squares, *window)));
}

/// The sums of stored numbers as the file has them: u8 is never negative.
static Value storedSum(TfliteNode &node, Value data, int64_t offset,
                       const PoolWindow &window) {
  if (isByte(elementOf(data)))
    return sumPool(node, data, -offset, window);
  TfliteHalves halves = tfliteHalves(node, data);
  Value high = sumPool(node, halves.high, 0, window);
  return node.two(NPU_INSTR_add,
                  node.two(NPU_INSTR_mul, high, node.number32(256)),
                  sumPool(node, halves.low, TfliteHalves::lowZero, window));
}

/// The mean of integers; a reciprocal that is a little too large moves halves
/// away from zero.
static Value meanOfIntegers(TfliteNode &node, Value data,
                            const PoolWindow &window) {
  int64_t offset = node.op.inputType(0) == tflite::TensorType::UINT8 ? 128 : 0;
  Value sum = storedSum(node, data, offset, window);
  if (!sum)
    return sum;
  std::vector<int32_t> multipliers, shifts;
  for (int32_t count : windowCounts(window, shapeOf(data).drop_front(2))) {
    Reciprocal scale = reciprocalOf(count);
    multipliers.push_back(scale.multiplier);
    shifts.push_back(scale.shift);
  }
  Type element = elementOf(data);
  IntegerRange range = rangeOfBits(element.getIntOrFloatBitWidth());
  return requantize(
      node, sum,
      {{byPlace(node, multipliers, window), byPlace(node, shifts, window)},
       -offset,
       range.low,
       range.high},
      element);
}

LogicalResult npu::buildTfliteAveragePool(TfliteNode &node) {
  FailureOr<PoolWindow> window = readWindow(node);
  if (failed(window))
    return failure();
  Value data = channelsFirst(node, node.input(0));
  if (!data)
    return failure();
  if (isa<mlir::FloatType>(elementOf(data)))
    return setPooled(node, averagePool(node, data, *window));
  return setPooled(node, meanOfIntegers(node, data, *window));
}
