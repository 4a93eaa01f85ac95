// SPDX-License-Identifier: Apache-2.0

#include "kernels/tensor.h"
#include "kernels/validate.h"

namespace npu::kernels {

static std::string checkWindow(const Problem &problem, int i) {
  const npu_pool_attrs &a = problem.attrs.pool;
  int dim = i + 2;
  int64_t in = problem.inputs[0].dims[dim], out = problem.outputs[0].dims[dim];
  std::string at = " of spatial dimension " + std::to_string(i);
  if (std::string text = checkWindowSize("kernel extent", a.kernel[i], i);
      !text.empty())
    return text;
  if (std::string text = checkWindowSteps(a.strides[i], a.dilations[i], i);
      !text.empty())
    return text;
  int64_t window = (a.kernel[i] - 1) * a.dilations[i] + 1;
  if (a.pads_begin[i] < 0 || a.pads_end[i] < 0 || a.pads_begin[i] >= window ||
      a.pads_end[i] >= window)
    return "padding" + at + " is not smaller than the window";
  if (in < 1)
    return "input" + at + " is empty";
  int64_t room = in + a.pads_begin[i] + a.pads_end[i] - window;
  int64_t least = room < 0 ? 0 : room / a.strides[i] + 1;
  // Rounding up adds a window, if it starts on the input or the padding before.
  bool roundedUp = out == least + 1 &&
                   (out - 1) * a.strides[i] < in + a.pads_begin[i] &&
                   (room < 0 || room % a.strides[i] != 0);
  if (out < 1 || (out != least && !roundedUp))
    return wrongExtent("output", dim, out, least);
  return "";
}

std::string validatePool(const Problem &problem) {
  const npu_tensor_desc &x = problem.inputs[0], &y = problem.outputs[0];
  if (x.rank < 3 || x.rank > 2 + NPU_MAX_SPATIAL)
    return "data of rank " + std::to_string(x.rank) + ", expected 3 to 5";
  if (x.dtype == NPU_BOOL)
    return "data is bool";
  if (y.rank != x.rank)
    return "data and output have different ranks";
  for (int d = 0; d < 2; ++d)
    if (y.dims[d] != x.dims[d])
      return wrongExtent("output", d, y.dims[d], x.dims[d]);
  int64_t include = problem.attrs.pool.count_include_pad;
  if (include != 0 && include != 1)
    return "count_include_pad is not 0 or 1";
  int64_t columns = problem.attrs.pool.column_major;
  if (columns != 0 && columns != 1)
    return "column_major is not 0 or 1";
  int64_t keepNan = problem.attrs.pool.keep_nan;
  if (keepNan != 0 && keepNan != 1)
    return "keep_nan is not 0 or 1";
  for (int i = 0; i < x.rank - 2; ++i)
    if (std::string text = checkWindow(problem, i); !text.empty())
      return text;
  return "";
}

} // namespace npu::kernels
