// SPDX-License-Identifier: Apache-2.0
//
// Pooling.
#include "compiler/Frontend/TOSA/TosaOps.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/TOSA/TosaScale.h"
#include "compiler/Frontend/TOSA/TosaWindow.h"

#include <cmath>

using namespace npu;

namespace {
struct PoolWindow {
  Ints kernel, strides, pads, dilations;
  Ints extents; // of the result's image
};
} // namespace

static FailureOr<PoolWindow> readWindow(TosaNode &node) {
  PoolWindow window{node.getInts("kernel"),
                    node.getInts("stride"),
                    padsFromPairs(node.getInts("pad")),
                    {1, 1},
                    {}};
  std::string reason;
  FailureOr<shapes::Shape> extents = shapes::windowed(
      shapeOf(node.getInput(0)).slice(1, 2),
      {window.kernel, window.strides, window.dilations, window.pads}, reason);
  if (failed(extents))
    return node.error(reason);
  window.extents = *extents;
  return window;
}

static Ints resultShape(Value data, const PoolWindow &window) {
  Ints shape{shapeOf(data)[0], shapeOf(data)[1]};
  shape.append(window.extents);
  return shape;
}

LogicalResult npu::buildTosaMaxPool(TosaNode &node) {
  FailureOr<PoolWindow> window = readWindow(node);
  Value x = node.getInput(0);
  bool isFloat = isa<mlir::FloatType>(elementOf(x));
  if (isFloat)
    x = node.withoutNan(x, node.scalar(-HUGE_VAL, elementOf(x)));
  Value data = channelsFirst(node, x);
  if (failed(window) || !data)
    return failure();
  return node.setResult(channelsLast(
      node, node.create<MaxPoolOp>(
                resultShape(data, *window), elementOf(data), data,
                node.intArray(window->kernel), node.intArray(window->strides),
                node.intArray(window->pads), node.intArray(window->dilations),
                node.getBuilder().getBoolAttr(isFloat && node.keepsNan()))));
}

/// How many elements of the data lie in the window at each place, by row and
/// column of the result.
static std::vector<int32_t> windowCounts(const PoolWindow &window,
                                         ArrayRef<int64_t> image) {
  auto along = [&](int dim, int64_t at) {
    int64_t begin = at * window.strides[dim] - window.pads[dim];
    int64_t end = std::min(begin + window.kernel[dim], image[dim]);
    return end - std::max<int64_t>(begin, 0);
  };
  std::vector<int32_t> counts;
  for (int64_t y = 0; y < window.extents[0]; ++y)
    for (int64_t x = 0; x < window.extents[1]; ++x)
      counts.push_back(static_cast<int32_t>(along(0, y) * along(1, x)));
  return counts;
}

/// Numbers for each place of the result's image, or one if all are the same.
static Value byPlace(TosaNode &node, const std::vector<int32_t> &numbers,
                     const PoolWindow &window) {
  if (llvm::all_equal(numbers))
    return node.scalar(numbers.front(), node.getBuilder().getI32Type());
  auto type =
      RankedTensorType::get(window.extents, node.getBuilder().getI32Type());
  return node.constant(makeElements(
      type, ArrayRef(reinterpret_cast<const char *>(numbers.data()),
                     numbers.size() * sizeof(int32_t))));
}

/// Sums by a convolution with ones, which subtracts the zero point and does not
/// count padding; then the reciprocal of how many there are.
static Value integerAverage(TosaNode &node, Value data,
                            const PoolWindow &window) {
  OpBuilder &builder = node.getBuilder();
  Type i32 = builder.getI32Type();
  std::optional<int64_t> inputZero = node.constantInt(node.getInput(1));
  if (!isByte(elementOf(data)) || !inputZero) {
    (void)node.unsupported("averages " + typeText(node.sourceElement(0)) +
                           ", expected floats, or i8 with a constant zero "
                           "point");
    return Value();
  }
  int64_t channels = shapeOf(data)[1];
  Value ones = node.filled(1, {channels, 1, window.kernel[0], window.kernel[1]},
                           builder.getIntegerType(8));
  Value sum = convolve(node, {data, ones, Value(), *inputZero, window.strides,
                              window.pads, window.dilations, channels});
  if (!sum)
    return sum;
  std::vector<int32_t> counts =
      windowCounts(window, shapeOf(data).drop_front(2));
  std::vector<int32_t> multipliers, shifts;
  for (int32_t count : counts) { // padding is smaller than the kernel
    Reciprocal scale = reciprocalOf(count);
    multipliers.push_back(scale.multiplier);
    shifts.push_back(scale.shift);
  }
  Value mean = applyScale(node, sum, byPlace(node, multipliers, window),
                          byPlace(node, shifts, window), false);
  Value zero = node.reshape(node.cast(node.getInput(2), i32), {});
  return node.cast(addAndSaturate(node, mean, zero, 8, false),
                   node.resultElement());
}

LogicalResult npu::buildTosaAvgPool(TosaNode &node) {
  FailureOr<PoolWindow> window = readWindow(node);
  Value data = channelsFirst(node, node.getInput(0));
  if (failed(window) || !data)
    return failure();
  Type element = elementOf(data);
  if (!isa<mlir::FloatType>(element))
    return node.setResult(
        channelsLast(node, integerAverage(node, data, *window)));
  return node.setResult(channelsLast(
      node, node.create<AvgPoolOp>(
                resultShape(data, *window), element, data,
                node.intArray(window->kernel), node.intArray(window->strides),
                node.intArray(window->pads), node.intArray(window->dilations),
                node.getBuilder().getBoolAttr(false))));
}
