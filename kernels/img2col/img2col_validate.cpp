// SPDX-License-Identifier: Apache-2.0

#include "kernels/validate.h"

namespace npu::kernels {

static std::string checkDim(const Problem &problem, int i, int64_t &taps) {
  const npu_pool_attrs &a = problem.attrs.pool;
  int dim = i + 2;
  std::string at = " of spatial dimension " + std::to_string(i);
  if (std::string text = checkWindowSize("kernel extent", a.kernel[i], i);
      !text.empty())
    return text;
  if (std::string text = checkWindowSteps(a.strides[i], a.dilations[i], i);
      !text.empty())
    return text;
  if (std::string text = checkWindowPads(a.pads_begin[i], a.pads_end[i], i);
      !text.empty())
    return text;
  int64_t window = (a.kernel[i] - 1) * a.dilations[i] + 1;
  int64_t room =
      problem.inputs[0].dims[dim] + a.pads_begin[i] + a.pads_end[i] - window;
  if (room < 0)
    return "the window" + at + " is larger than the padded input";
  taps *= a.kernel[i];
  int64_t expected = room / a.strides[i] + 1,
          out = problem.outputs[0].dims[dim];
  return out == expected ? "" : wrongExtent("output", dim, out, expected);
}

std::string validateImg2col(const Problem &problem) {
  const npu_tensor_desc &x = problem.inputs[0], &y = problem.outputs[0];
  if (x.rank < 3 || x.rank > 2 + NPU_MAX_SPATIAL)
    return "data of rank " + std::to_string(x.rank) + ", expected 3 to 5";
  if (std::string text = checkSameRank(x, y); !text.empty())
    return text;
  if (y.dims[0] != x.dims[0])
    return wrongExtent("output", 0, y.dims[0], x.dims[0]);
  int64_t taps = 1; // at most 2^60
  for (int i = 0; i < x.rank - 2; ++i)
    if (std::string text = checkDim(problem, i, taps); !text.empty())
      return text;
  int64_t channels;
  if (__builtin_mul_overflow(x.dims[1], taps, &channels) ||
      y.dims[1] != channels)
    return "output: dimension 1 has " + std::to_string(y.dims[1]) +
           " elements, expected " + std::to_string(x.dims[1]) + " times " +
           std::to_string(taps);
  return "";
}

} // namespace npu::kernels
