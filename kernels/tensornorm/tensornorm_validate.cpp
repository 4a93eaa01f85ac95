// SPDX-License-Identifier: Apache-2.0

#include "kernels/support/convert.h"
#include "kernels/validate.h"

#include <cmath>

namespace npu::kernels {

static std::string checkParameter(const Problem &problem, size_t input,
                                  const char *what) {
  const npu_tensor_desc &x = problem.inputs[0], &p = problem.inputs[input];
  if (!isFloat(p.dtype))
    return std::string(what) + " is " + dtypeName(p.dtype);
  int shift = x.rank - p.rank;
  for (int d = 0; d < p.rank; ++d)
    if (shift < 0 || (p.dims[d] != 1 && p.dims[d] != x.dims[d + shift]))
      return std::string(what) + " " + describe(p) +
             " does not broadcast to the data's " + describe(x);
  return "";
}

std::string validateTensornorm(const Problem &problem) {
  const npu_tensor_desc &x = problem.inputs[0];
  const npu_norm_attrs &a = problem.attrs.norm;
  if (!isFloat(x.dtype))
    return std::string("data is ") + dtypeName(x.dtype);
  if ((a.has_bias != 0 && a.has_bias != 1) ||
      (a.centered != 0 && a.centered != 1))
    return "has_bias or centered is not 0 or 1";
  if (a.axes_mask <= 0 || a.axes_mask >> x.rank != 0)
    return "the axes are none of rank " + std::to_string(x.rank);
  if (std::string text = checkAxis(a.group_axis, x.rank); !text.empty())
    return text;
  if (!(a.axes_mask >> a.group_axis & 1))
    return "axis " + std::to_string(a.group_axis) +
           " is in groups, but not normalised over";
  if (a.groups < 1 || x.dims[a.group_axis] % a.groups)
    return std::to_string(a.groups) + " groups do not divide the " +
           std::to_string(x.dims[a.group_axis]) + " elements of axis " +
           std::to_string(a.group_axis);
  if (!std::isfinite(a.epsilon))
    return "epsilon is not finite";
  if (std::string text = checkParameter(problem, 1, "scale"); !text.empty())
    return text;
  if (std::string text =
          a.has_bias ? checkParameter(problem, 2, "bias") : std::string();
      !text.empty())
    return text;
  return checkSameShape(x, problem.outputs[0]);
}

} // namespace npu::kernels
