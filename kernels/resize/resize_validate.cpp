// SPDX-License-Identifier: Apache-2.0

#include "kernels/support/convert.h"
#include "kernels/validate.h"

#include <cmath>

namespace npu::kernels {

std::string validateResize(const Problem &problem) {
  const npu_tensor_desc &x = problem.inputs[0], &y = problem.outputs[0];
  const npu_resize_attrs &a = problem.attrs.resize;
  if (a.mode < 0 || a.mode > NPU_RESIZE_CUBIC)
    return "unknown mode " + std::to_string(a.mode);
  if (a.coordinates < 0 || a.coordinates > NPU_RESIZE_HALF_PIXEL_SYMMETRIC)
    return "unknown coordinates " + std::to_string(a.coordinates);
  if (a.nearest < 0 || a.nearest > NPU_NEAREST_CEIL)
    return "unknown rounding " + std::to_string(a.nearest);
  if (a.exclude_outside != 0 && a.exclude_outside != 1)
    return "exclude_outside is not 0 or 1";
  if (!std::isfinite(a.cubic_a) || std::fabs(a.cubic_a) > 1e6)
    return "the cubic coefficient is not a usable number";
  if (a.mode != NPU_RESIZE_NEAREST && !isFloat(x.dtype))
    return std::string("interpolation of ") + dtypeName(x.dtype);
  if (y.rank != x.rank)
    return "input and output have different ranks";
  for (int d = 0; d < x.rank; ++d) {
    // Coordinates are computed in single precision.
    constexpr int64_t limit = int64_t{1} << 24;
    bool isResized = x.dims[d] != y.dims[d] || a.scales[d] != 1.0;
    if (isResized && (x.dims[d] < 1 || x.dims[d] > limit || y.dims[d] < 1 ||
                      y.dims[d] > limit))
      return "resized dimension " + std::to_string(d) + " goes from " +
             std::to_string(x.dims[d]) + " to " + std::to_string(y.dims[d]) +
             " elements, expected 1 to 2^24";
    if (!(a.scales[d] > 0) || a.scales[d] > 1e9)
      return "scale of dimension " + std::to_string(d) +
             " is not a positive number";
    auto out = static_cast<double>(y.dims[d]);
    double expected = static_cast<double>(x.dims[d]) * a.scales[d];
    if (std::fabs(out - expected) > 1 + 1e-6 * out)
      return "output: dimension " + std::to_string(d) + " has " +
             std::to_string(y.dims[d]) + " elements, but the scale gives " +
             std::to_string(expected);
  }
  return "";
}

} // namespace npu::kernels
