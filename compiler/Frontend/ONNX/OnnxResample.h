// SPDX-License-Identifier: Apache-2.0
//
// Resizing as gathers and weighted sums, one dimension after the other: what
// the resize kernel has no attributes for (a region of interest, antialiasing).
#ifndef NPU_COMPILER_FRONTEND_ONNX_ONNXRESAMPLE_H
#define NPU_COMPILER_FRONTEND_ONNX_ONNXRESAMPLE_H

#include "compiler/Frontend/ONNX/OnnxNode.h"

namespace npu {

/// Coordinates of opset 11 and 12 that the resize kernel does not have.
constexpr StringRef tfHalfPixelWord = "tf_half_pixel_for_nn";

struct ResizeSpec {
  ResizeMode mode = ResizeMode::Nearest;
  std::string coordinates = "asymmetric"; // ONNX has more than the kernel
  ResizeNearest nearest = ResizeNearest::Floor;
  double cubic = -0.75;
  bool excludesOutside = false;
  SmallVector<double> scales; // one for each dimension
  Ints extents;               // of the result
  /// Of a region of interest, as parts of the data's extents; beginnings, then
  /// ends. Empty: all of the data.
  SmallVector<double> region;
  double outsideValue = 0; // where the region reaches behind the data
  bool antialiases = false;
};

Value resample(OnnxNode &node, Value x, const ResizeSpec &spec);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_ONNX_ONNXRESAMPLE_H
