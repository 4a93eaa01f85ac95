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

/// The extents that a convolution links: of its data, its weight, its result.
struct Linked {
  int64_t in, kernel, out;
};

static std::string checkSpatial(const Problem &problem, int i,
                                const Linked &extents) {
  const npu_conv_attrs &a = problem.attrs.conv;
  int dim = i + 2;
  auto [in, kernel, out] = extents;
  std::string at = " of spatial dimension " + std::to_string(i);
  if (std::string text = checkWindowSteps(a.strides[i], a.dilations[i], i);
      !text.empty())
    return text;
  if (std::string text = checkWindowPads(a.pads_begin[i], a.pads_end[i], i);
      !text.empty())
    return text;
  if (std::string text = checkWindowSize("kernel extent", kernel, i);
      !text.empty())
    return text;
  int64_t window = (kernel - 1) * a.dilations[i] + 1;
  int64_t pads = a.pads_begin[i] + a.pads_end[i];
  if (problem.op == NPU_OP_CONV_TRANSPOSE)
    return checkTransposedExtent(dim, in, out, window, a.strides[i],
                                 a.dilations[i], pads);
  if (in + pads < window)
    return "the window" + at + " is larger than the padded input";
  int64_t expected = (in + pads - window) / a.strides[i] + 1;
  const char *what = problem.op == NPU_OP_CONV_BPW ? "gradient" : "output";
  return out == expected ? "" : wrongExtent(what, dim, out, expected);
}

static std::string checkRanks(const npu_tensor_desc &x,
                              const npu_tensor_desc &w,
                              const npu_tensor_desc &y, const char *ranks) {
  if (x.rank < 3 || x.rank > 2 + NPU_MAX_SPATIAL)
    return "data of rank " + std::to_string(x.rank) + ", expected 3 to 5";
  return w.rank != x.rank || y.rank != x.rank ? ranks : "";
}

static std::string checkGroups(const Problem &problem, int64_t inputs,
                               int64_t outputs) {
  int64_t groups = problem.attrs.conv.groups;
  return groups < 1 || inputs % groups || outputs % groups
             ? std::to_string(groups) + " groups do not divide the channels"
             : "";
}

/// Bias and zero point are no part of a gradient.
std::string validateConvBpw(const Problem &problem) {
  const npu_tensor_desc &x = problem.inputs[0], &dy = problem.inputs[1],
                        &dw = problem.outputs[0];
  const npu_conv_attrs &a = problem.attrs.conv;
  if (a.has_bias || a.data_zero_point || a.weight_of_conv)
    return "a gradient by the weight with a bias, a zero point or another "
           "order of its weight";
  if (std::string text = checkRanks(
          x, dw, dy, "data, gradient and output have different ranks");
      !text.empty())
    return text;
  if (x.dtype != dy.dtype || x.dtype == NPU_BOOL)
    return std::string("data is ") + dtypeName(x.dtype) + ", gradient " +
           dtypeName(dy.dtype);
  if (std::string text = checkGroups(problem, x.dims[1], dy.dims[1]);
      !text.empty())
    return text;
  if (dy.dims[0] != x.dims[0])
    return wrongExtent("gradient", 0, dy.dims[0], x.dims[0]);
  if (dw.dims[0] != dy.dims[1])
    return wrongExtent("output", 0, dw.dims[0], dy.dims[1]);
  if (dw.dims[1] != x.dims[1] / a.groups)
    return wrongExtent("output", 1, dw.dims[1], x.dims[1] / a.groups);
  for (int i = 0; i < x.rank - 2; ++i)
    if (std::string text = checkSpatial(
            problem, i, {x.dims[i + 2], dw.dims[i + 2], dy.dims[i + 2]});
        !text.empty())
      return text;
  return "";
}

std::string validateConv(const Problem &problem) {
  const npu_tensor_desc &x = problem.inputs[0], &w = problem.inputs[1],
                        &y = problem.outputs[0];
  const npu_conv_attrs &a = problem.attrs.conv;
  if (a.has_bias != 0 && a.has_bias != 1)
    return "has_bias is not 0 or 1";
  bool isTransposed = problem.op == NPU_OP_CONV_TRANSPOSE;
  if (a.weight_of_conv != 0 && (a.weight_of_conv != 1 || !isTransposed))
    return "weight_of_conv is not 0, or 1 of a transposed convolution";
  if (std::string text =
          checkRanks(x, w, y, "data, weight and output have different ranks");
      !text.empty())
    return text;
  if (isFloat(x.dtype) != isFloat(w.dtype) || x.dtype == NPU_BOOL ||
      w.dtype == NPU_BOOL)
    return std::string("data is ") + dtypeName(x.dtype) + ", weight " +
           dtypeName(w.dtype);
  if (std::string text = checkGroups(problem, x.dims[1], y.dims[1]);
      !text.empty())
    return text;
  if (y.dims[0] != x.dims[0])
    return wrongExtent("output", 0, y.dims[0], x.dims[0]);
  int64_t outer = a.weight_of_conv ? x.dims[1] : y.dims[1];
  int64_t inner = (a.weight_of_conv ? y.dims[1] : x.dims[1]) / a.groups;
  if (w.dims[0] != outer)
    return wrongExtent("weight", 0, w.dims[0], outer);
  if (w.dims[1] != inner)
    return wrongExtent("weight", 1, w.dims[1], inner);
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
    if (std::string text = checkSpatial(
            problem, i, {x.dims[i + 2], w.dims[i + 2], y.dims[i + 2]});
        !text.empty())
      return text;
  return "";
}

} // namespace npu::kernels
