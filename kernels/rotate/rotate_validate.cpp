// SPDX-License-Identifier: Apache-2.0

#include "kernels/validate.h"

namespace npu::kernels {

std::string validateRotate(const Problem &problem) {
  const npu_tensor_desc &x = problem.inputs[0], &y = problem.outputs[0];
  const npu_rotate_attrs &a = problem.attrs.rotate;
  for (int64_t axis : a.axes)
    if (std::string text = checkAxis(axis, x.rank); !text.empty())
      return text;
  if (a.axes[0] == a.axes[1])
    return "axis " + std::to_string(a.axes[0]) + " is named twice";
  if (a.turns < 1 || a.turns > 3)
    return std::to_string(a.turns) + " turns are not in 1..3";
  if (std::string text = checkSameRank(x, y); !text.empty())
    return text;
  for (int d = 0; d < x.rank; ++d) {
    int64_t from = a.turns % 2 == 0 ? d
                   : d == a.axes[0] ? a.axes[1]
                   : d == a.axes[1] ? a.axes[0]
                                    : d;
    if (y.dims[d] != x.dims[from])
      return wrongExtent("output", d, y.dims[d], x.dims[from]);
  }
  return "";
}

} // namespace npu::kernels
