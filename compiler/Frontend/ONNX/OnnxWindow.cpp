// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/ONNX/OnnxWindow.h"

#include "compiler/Dialect/NPU/ShapeInference.h"

#include <algorithm>

using namespace npu;

// Far beyond any model, and no product of two overflows.
static constexpr int64_t largest = int64_t(1) << 24;

static LogicalResult checkInts(OnnxNode &node, StringRef name,
                               ArrayRef<int64_t> numbers, size_t length,
                               int64_t least) {
  if (numbers.size() != length)
    return node.error("attribute '" + name + "' has " + Twine(numbers.size()) +
                      " entries, expected " + Twine(length));
  for (int64_t number : numbers) {
    if (number < least)
      return node.error("attribute '" + name + "' has the entry " +
                        Twine(number) + ", expected " + Twine(least) +
                        " or more");
    if (number > largest)
      return node.unsupported("attribute '" + name + "' has the entry " +
                              Twine(number) + ", expected at most 2^24");
  }
  return success();
}

LogicalResult npu::checkSpatial(OnnxNode &node, Value data) {
  if (rankOf(data) < 3)
    return node.error("found data of shape " + shapes::text(shapeOf(data)) +
                      ", expected N, C and spatial dimensions");
  if (rankOf(data) > 2 + NPU_MAX_SPATIAL)
    return node.unsupported(
        "found data of shape " + shapes::text(shapeOf(data)) +
        ", expected at most " + Twine(NPU_MAX_SPATIAL) + " spatial dimensions");
  return success();
}

FailureOr<OnnxWindow> npu::readWindow(OnnxNode &node,
                                      ArrayRef<int64_t> kernel) {
  size_t rank = kernel.size();
  OnnxWindow window;
  window.kernel = Ints(kernel);
  window.strides = node.getInts("strides").value_or(Ints(rank, 1));
  window.dilations = node.getInts("dilations").value_or(Ints(rank, 1));
  window.pads = node.getInts("pads").value_or(Ints(2 * rank, 0));
  window.autoPad = node.getWord(
      "auto_pad", "NOTSET", {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"});
  if (failed(checkInts(node, "kernel_shape", kernel, rank, 1)) ||
      failed(checkInts(node, "strides", window.strides, rank, 1)) ||
      failed(checkInts(node, "dilations", window.dilations, rank, 1)) ||
      failed(checkInts(node, "pads", window.pads, 2 * rank, 0)))
    return failure();
  if (node.hasFailed())
    return failure();
  return window;
}

int64_t npu::dilatedKernel(const OnnxWindow &window, size_t dim) {
  return (window.kernel[dim] - 1) * window.dilations[dim] + 1;
}

void npu::resolveAutoPad(OnnxWindow &window, ArrayRef<int64_t> spatial) {
  if (window.autoPad == "NOTSET")
    return;
  size_t rank = spatial.size();
  window.pads.assign(2 * rank, 0);
  if (window.autoPad == "VALID")
    return;
  for (size_t i = 0; i < rank; ++i) {
    int64_t extent = (spatial[i] + window.strides[i] - 1) / window.strides[i];
    int64_t total = std::max<int64_t>((extent - 1) * window.strides[i] +
                                          dilatedKernel(window, i) - spatial[i],
                                      0);
    int64_t smaller = total / 2, larger = total - total / 2;
    bool isUpper = window.autoPad == "SAME_UPPER";
    window.pads[i] = isUpper ? smaller : larger;
    window.pads[rank + i] = isUpper ? larger : smaller;
  }
}
