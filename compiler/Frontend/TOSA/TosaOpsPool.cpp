// SPDX-License-Identifier: Apache-2.0
//
// Pooling.
#include "compiler/Frontend/TOSA/TosaOps.h"

#include "compiler/Frontend/Support/IntegerScale.h"
#include "compiler/Frontend/Support/Windows.h"
#include "compiler/Frontend/TOSA/TosaWindow.h"

#include <cmath>

using namespace npu;

static FailureOr<PoolWindow> readWindow(TosaNode &node) {
  PoolWindow window{node.getInts("kernel"),
                    node.getInts("stride"),
                    padsFromPairs(node.getInts("pad")),
                    {1, 1},
                    {}};
  if (failed(fitWindow(node, window, shapeOf(node.getInput(0)).slice(1, 2))))
    return failure();
  return window;
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
      node, maxPool(node, data, *window, isFloat && node.keepsNan())));
}

/// Sums, then the reciprocal of how many there are.
static Value integerAverage(TosaNode &node, Value data,
                            const PoolWindow &window) {
  std::optional<int64_t> inputZero = constantInt(node.getInput(1)),
                         zero = constantInt(node.getInput(2));
  if (!isByte(elementOf(data)) || !inputZero || !zero) {
    (void)node.unsupported("averages " + typeText(node.sourceElement(0)) +
                           ", expected floats, or i8 with constant zero "
                           "points");
    return Value();
  }
  Value sum = sumPool(node, data, *inputZero, window);
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
  IntegerRange range = rangeOfBits(8);
  return requantize(
      node, sum,
      {{byPlace(node, multipliers, window), byPlace(node, shifts, window)},
       *zero,
       range.low,
       range.high},
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
  return node.setResult(channelsLast(node, averagePool(node, data, *window)));
}
