// SPDX-License-Identifier: Apache-2.0

#include "kernels/support/convert.h"
#include "kernels/validate.h"

namespace npu::kernels {

static std::string checkTile(const Problem &problem) {
  int64_t tile = problem.attrs.winograd.tile;
  if (tile != 2 && tile != 4)
    return "tile " + std::to_string(tile) + " is not 2 or 4";
  return "";
}

static std::string checkPoints(const Problem &problem,
                               const npu_tensor_desc &weight) {
  for (int d = 2; d < 4; ++d)
    if (weight.dims[d] != problem.attrs.winograd.tile + 2)
      return wrongExtent("transformed weight", d, weight.dims[d],
                         problem.attrs.winograd.tile + 2);
  return "";
}

std::string validateWinogradWeight(const Problem &problem) {
  const npu_tensor_desc &w = problem.inputs[0], &u = problem.outputs[0];
  if (std::string text = checkTile(problem); !text.empty())
    return text;
  if (w.rank != 4 || u.rank != 4)
    return "weight of rank " + std::to_string(w.rank) + ", expected 4";
  if (!isFloat(w.dtype))
    return std::string("weight is ") + dtypeName(w.dtype) + ", expected floats";
  for (int d = 0; d < 2; ++d)
    if (u.dims[d] != w.dims[d])
      return wrongExtent("transformed weight", d, u.dims[d], w.dims[d]);
  for (int d = 2; d < 4; ++d)
    if (w.dims[d] != 3)
      return wrongExtent("weight", d, w.dims[d], 3);
  return checkPoints(problem, u);
}

static std::string checkImage(const Problem &problem) {
  const npu_winograd_attrs &a = problem.attrs.winograd;
  const npu_tensor_desc &x = problem.inputs[0], &y = problem.outputs[0];
  constexpr int64_t limit = int64_t{1} << 20;
  for (int i = 0; i < 2; ++i) {
    if (a.pads_begin[i] < 0 || a.pads_begin[i] > limit || a.pads_end[i] < 0 ||
        a.pads_end[i] > limit)
      return "padding of spatial dimension " + std::to_string(i) +
             " is not in 0..2^20";
    int64_t expected = x.dims[i + 2] + a.pads_begin[i] + a.pads_end[i] - 2;
    if (expected < 1)
      return "the window of spatial dimension " + std::to_string(i) +
             " is larger than the padded input";
    if (y.dims[i + 2] != expected)
      return wrongExtent("output", i + 2, y.dims[i + 2], expected);
  }
  return "";
}

std::string validateConvWinograd(const Problem &problem) {
  const npu_winograd_attrs &a = problem.attrs.winograd;
  const npu_tensor_desc &x = problem.inputs[0], &w = problem.inputs[1],
                        &y = problem.outputs[0];
  if (std::string text = checkTile(problem); !text.empty())
    return text;
  if (a.has_bias != 0 && a.has_bias != 1)
    return "has_bias is not 0 or 1";
  if (x.rank != 4 || w.rank != 4 || y.rank != 4)
    return "data of rank " + std::to_string(x.rank) + ", weight of rank " +
           std::to_string(w.rank) + ", expected 4";
  if (!isFloat(x.dtype) || !isFloat(w.dtype))
    return std::string("data is ") + dtypeName(x.dtype) + ", weight " +
           dtypeName(w.dtype) + ", expected floats";
  if (y.dims[0] != x.dims[0])
    return wrongExtent("output", 0, y.dims[0], x.dims[0]);
  if (w.dims[0] != y.dims[1])
    return wrongExtent("transformed weight", 0, w.dims[0], y.dims[1]);
  if (w.dims[1] != x.dims[1])
    return wrongExtent("transformed weight", 1, w.dims[1], x.dims[1]);
  if (a.has_bias) {
    const npu_tensor_desc &bias = problem.inputs[2];
    if (bias.rank != 1 || bias.dims[0] != y.dims[1] || !isFloat(bias.dtype))
      return "bias " + describe(bias) + " is not one float per output channel";
  }
  if (std::string text = checkPoints(problem, w); !text.empty())
    return text;
  return checkImage(problem);
}

} // namespace npu::kernels
