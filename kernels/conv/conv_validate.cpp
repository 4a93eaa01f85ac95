// SPDX-License-Identifier: Apache-2.0

#include "kernels/support/convert.h"
#include "kernels/validate.h"

#include <algorithm>

namespace npu::kernels {

/// Extent that a transposed convolution gives, and the slack above it that
/// ONNX calls output padding.
static std::string checkTransposedExtent(int dim, int64_t in, int64_t out,
                                         int64_t window, int64_t stride,
                                         int64_t dilation, int64_t pads) {
  int64_t least = (in - 1) * stride + window - pads;
  int64_t most = least + std::max(stride, dilation) - 1;
  if (out < least || out > most)
    return "output: dimension " + std::to_string(dim) + " has " +
           std::to_string(out) + " elements, expected " +
           std::to_string(least) + " to " + std::to_string(most);
  return "";
}

static std::string checkSpatial(const Problem &problem, int i) {
  const npu_conv_attrs &a = problem.attrs.conv;
  int dim = i + 2;
  int64_t in = problem.inputs[0].dims[dim];
  int64_t kernel = problem.inputs[1].dims[dim];
  int64_t out = problem.outputs[0].dims[dim];
  std::string at = " of spatial dimension " + std::to_string(i);
  constexpr int64_t limit = int64_t{1} << 20;
  if (a.strides[i] < 1 || a.strides[i] > limit)
    return "stride " + std::to_string(a.strides[i]) + at + " is not in 1..2^20";
  if (a.dilations[i] < 1 || a.dilations[i] > limit)
    return "dilation " + std::to_string(a.dilations[i]) + at +
           " is not in 1..2^20";
  if (a.pads_begin[i] < 0 || a.pads_begin[i] > limit || a.pads_end[i] < 0 ||
      a.pads_end[i] > limit)
    return "padding" + at + " is not in 0..2^20";
  if (kernel < 1 || kernel > limit)
    return "kernel extent " + std::to_string(kernel) + at +
           " is not in 1..2^20";
  if (in > limit * limit || in < 1)
    return "input extent " + std::to_string(in) + at + " is not in 1..2^40";
  int64_t window = (kernel - 1) * a.dilations[i] + 1;
  int64_t pads = a.pads_begin[i] + a.pads_end[i];
  if (problem.op == NPU_OP_CONV_TRANSPOSE)
    return checkTransposedExtent(dim, in, out, window, a.strides[i],
                                 a.dilations[i], pads);
  if (in + pads < window)
    return "the window" + at + " is larger than the padded input";
  int64_t expected = (in + pads - window) / a.strides[i] + 1;
  return out == expected ? "" : wrongExtent("output", dim, out, expected);
}

std::string validateConv(const Problem &problem) {
  const npu_tensor_desc &x = problem.inputs[0], &w = problem.inputs[1],
                        &y = problem.outputs[0];
  const npu_conv_attrs &a = problem.attrs.conv;
  if (a.has_bias != 0 && a.has_bias != 1)
    return "has_bias is not 0 or 1";
  if (x.rank < 3 || x.rank > 2 + NPU_MAX_SPATIAL)
    return "data of rank " + std::to_string(x.rank) + ", expected 3 to 5";
  if (w.rank != x.rank || y.rank != x.rank)
    return "data, weight and output have different ranks";
  if (isFloat(x.dtype) != isFloat(w.dtype) || x.dtype == NPU_BOOL ||
      w.dtype == NPU_BOOL)
    return std::string("data is ") + dtypeName(x.dtype) + ", weight " +
           dtypeName(w.dtype);
  if (a.groups < 1 || x.dims[1] % a.groups || y.dims[1] % a.groups)
    return std::to_string(a.groups) + " groups do not divide the channels";
  if (y.dims[0] != x.dims[0])
    return wrongExtent("output", 0, y.dims[0], x.dims[0]);
  if (w.dims[0] != y.dims[1])
    return wrongExtent("weight", 0, w.dims[0], y.dims[1]);
  if (w.dims[1] != x.dims[1] / a.groups)
    return wrongExtent("weight", 1, w.dims[1], x.dims[1] / a.groups);
  if (a.has_bias) {
    const npu_tensor_desc &bias = problem.inputs[2];
    if (bias.rank != 1 || bias.dims[0] != y.dims[1])
      return "bias " + describe(bias) + " is not one value per output channel";
    if (isFloat(bias.dtype) != isFloat(x.dtype))
      return std::string("data is ") + dtypeName(x.dtype) + ", bias " +
             dtypeName(bias.dtype);
  }
  if (isFloat(x.dtype)
          ? a.data_zero_point != 0
          : wrapTo(x.dtype, a.data_zero_point) != a.data_zero_point)
    return "zero point " + std::to_string(a.data_zero_point) + " is not " +
           (isFloat(x.dtype)
                ? "0"
                : std::string("in the range of ") + dtypeName(x.dtype));
  for (int i = 0; i < x.rank - 2; ++i)
    if (std::string text = checkSpatial(problem, i); !text.empty())
      return text;
  return "";
}

} // namespace npu::kernels
