// SPDX-License-Identifier: Apache-2.0
//
// Fourier transforms of signals and of their frames; windows and mel filters as
// constants.
#include "compiler/Frontend/ONNX/OnnxArithmetic.h"
#include "compiler/Frontend/ONNX/OnnxOps.h"

#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/Support/Fourier.h"
#include "compiler/Frontend/Support/NodeBudget.h"

#include <cmath>

using namespace npu;

static constexpr double pi = 3.14159265358979323846;
static LogicalResult checkLength(OnnxNode &node, StringRef what,
                                 int64_t length) {
  if (length < 1)
    return node.error("found " + what + " of " + Twine(length) +
                      ", expected 1 or more");
  return takeNumbers(node, double(length));
}

/// A constant of the type that attribute `output_datatype` names.
static LogicalResult setConstant(OnnxNode &node, ArrayRef<double> numbers,
                                 ArrayRef<int64_t> shape) {
  FailureOr<Type> type =
      node.typeOf(node.getInt("output_datatype", onnx::TensorProto::FLOAT));
  if (failed(type))
    return failure();
  return node.setResult(node.cast(node.floats(numbers, shape), *type));
}

/// A sum of cosines over the window; the table's word says which.
LogicalResult npu::buildWindow(OnnxNode &node) {
  StringRef word = node.op.word;
  SmallVector<double> terms{0.5, 0.5, 0}; // hann
  if (word == "hamming")
    terms = {25.0 / 46, 21.0 / 46, 0};
  else if (word == "blackman")
    terms = {0.42, 0.5, 0.08};
  bool isPeriodic = node.getFlag("periodic", true);
  FailureOr<int64_t> size = node.constantInt(0, "the size", "sizes");
  if (failed(size) || failed(checkLength(node, "a window", *size)))
    return failure();
  double period = double(isPeriodic ? *size : std::max<int64_t>(*size - 1, 1));
  SmallVector<double> numbers;
  for (int64_t i = 0; i < *size; ++i) {
    double angle = 2 * pi * double(i) / period;
    numbers.push_back(terms[0] - terms[1] * std::cos(angle) +
                      terms[2] * std::cos(2 * angle));
  }
  return setConstant(node, numbers, *size);
}

/// Triangles that overlap, evenly spaced on the mel scale: one for each column.
static SmallVector<double> melTriangles(int64_t rows, int64_t columns,
                                        ArrayRef<int64_t> edges) {
  SmallVector<double> weights(rows * columns, 0);
  auto set = [&](int64_t row, int64_t column, double weight) {
    if (row >= 0 && row < rows)
      weights[row * columns + column] = weight;
  };
  for (int64_t i = 0; i < columns; ++i) {
    int64_t low = edges[i], centre = edges[i + 1], high = edges[i + 2];
    for (int64_t j = low; j < centre; ++j)
      set(j, i, double(j - low) / double(centre - low));
    set(centre, i, 1);
    for (int64_t j = centre + 1; j < high; ++j)
      set(j, i, double(high - j) / double(high - centre));
  }
  return weights;
}

LogicalResult npu::buildMelWeightMatrix(OnnxNode &node) {
  FailureOr<int64_t> columns =
      node.constantInt(0, "the number of bins", "numbers of bins");
  FailureOr<int64_t> length = node.constantInt(1, "the length", "lengths");
  FailureOr<int64_t> rate = node.constantInt(2, "the sample rate", "rates");
  FailureOr<double> low = node.constantFloat(3, "the lower edge", "edges");
  FailureOr<double> high = node.constantFloat(4, "the upper edge", "edges");
  if (failed(columns) || failed(length) || failed(rate) || failed(low) ||
      failed(high) || failed(checkLength(node, "a filter bank", *columns)) ||
      failed(checkLength(node, "a spectrum", *length)))
    return failure();
  if (failed(takeNumbers(node, double(*length) / 2 * double(*columns))))
    return failure();
  if (*rate < 1 || !(*low >= 0) || !(*high >= *low) ||
      !(*high <= double(*rate)))
    return node.error("found the sample rate " + Twine(*rate) + " and edges " +
                      std::to_string(*low) + " and " + std::to_string(*high) +
                      " Hz, expected rising edges within the rate");
  auto toMel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  double step = (toMel(*high) - toMel(*low)) / double(*columns + 2);
  Ints edges;
  for (int64_t i = 0; i < *columns + 2; ++i) {
    double hertz =
        700 * (std::pow(10, (double(i) * step + toMel(*low)) / 2595) - 1);
    edges.push_back(static_cast<int64_t>(
        std::floor(double(*length + 1) * hertz / double(*rate))));
  }
  int64_t rows = *length / 2 + 1;
  return setConstant(node, melTriangles(rows, *columns, edges),
                     {rows, *columns});
}

static LogicalResult checkSignal(OnnxNode &node, Value x, int64_t leastRank) {
  ArrayRef<int64_t> shape = shapeOf(x);
  if (static_cast<int64_t>(shape.size()) >= leastRank &&
      (shape.back() == 1 || shape.back() == 2))
    return success();
  return node.error("found a signal of shape " + shapes::text(shape) +
                    ", expected a last dimension of 1 or 2");
}

LogicalResult npu::buildDft(OnnxNode &node) {
  Value x = node.getInput(0);
  Fourier transform{0, node.getFlag("inverse", false),
                    node.getFlag("onesided", false)};
  if (failed(checkSignal(node, x, 2)))
    return failure();
  FailureOr<int64_t> axis = -2;
  if (node.version < 20)
    axis = node.getInt("axis", 1);
  else if (node.hasInput(2))
    axis = node.constantInt(2, "the axis", "axes");
  if (failed(axis) || failed(axis = node.normalizeAxis(*axis, rankOf(x))))
    return failure();
  if (*axis == rankOf(x) - 1)
    return node.error("axis " + Twine(*axis) +
                      " holds the parts of the numbers, expected another one");
  bool isReal = transform.isInverse && transform.isOneSided;
  int64_t extent = shapeOf(x)[*axis];
  FailureOr<int64_t> length = isReal ? 2 * (extent - 1) : extent;
  if (node.hasInput(1))
    length = node.constantInt(1, "the length", "lengths");
  if (failed(length) || failed(checkLength(node, "a transform", *length)))
    return failure();
  if (shapeOf(x).back() != (isReal ? 2 : 1) && transform.isOneSided)
    return node.error("found numbers of " + Twine(shapeOf(x).back()) +
                      " parts, where one side of the spectrum needs " +
                      Twine(isReal ? 2 : 1));
  transform.length = *length;
  return node.setResult(fourierTransform(node, x, *axis, transform));
}

LogicalResult npu::buildStft(OnnxNode &node) {
  Value x = node.getInput(0);
  bool isOneSided = node.getFlag("onesided", true);
  if (failed(checkSignal(node, x, 3)))
    return failure();
  if (rankOf(x) != 3 || (isOneSided && shapeOf(x)[2] != 1))
    return node.error("found a signal of shape " + shapes::text(shapeOf(x)) +
                      ", expected N, length and 1 part where one side of the "
                      "spectrum is asked for, or 2");
  FailureOr<int64_t> step = node.constantInt(1, "the step", "steps");
  int64_t samples = shapeOf(x)[1];
  Value window = node.getInput(2);
  FailureOr<int64_t> length =
      window ? tensorType(window).getNumElements() : samples;
  if (node.hasInput(3))
    length = node.constantInt(3, "the frame's length", "lengths");
  if (failed(step) || failed(length) ||
      failed(checkLength(node, "a frame", *length)))
    return failure();
  if (*step < 1 || *length > samples)
    return node.error("found frames of " + Twine(*length) + " with steps of " +
                      Twine(*step) + " in a signal of " + Twine(samples));
  if (window && (rankOf(window) != 1 || shapeOf(window)[0] != *length))
    return node.error("found a window of shape " +
                      shapes::text(shapeOf(window)) + ", expected " +
                      Twine(*length));
  int64_t frames = (samples - *length) / *step + 1;
  if (failed(takeNumbers(node, double(frames) * double(*length))))
    return failure();
  Ints places;
  for (int64_t i = 0; i < frames; ++i)
    llvm::append_range(places, countFrom(i * *step, i * *step + *length));
  Value frame = node.create<GatherOp>(
      {shapeOf(x)[0], frames, *length, shapeOf(x)[2]}, elementOf(x), x,
      node.reshape(node.ints(places), {frames, *length}),
      node.getBuilder().getI64IntegerAttr(1));
  if (window)
    frame = multiply(node, frame, node.reshape(window, {*length, 1}));
  if (!frame)
    return failure();
  return node.setResult(
      fourierTransform(node, frame, 2, {*length, false, isOneSided}));
}
