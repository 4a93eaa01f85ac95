// SPDX-License-Identifier: Apache-2.0

#include "kernels/validate.h"

namespace npu::kernels {

std::string validateTopK(const Problem &problem) {
  const npu_tensor_desc &x = problem.inputs[0], &y = problem.outputs[0];
  const npu_top_k_attrs &a = problem.attrs.top_k;
  if (std::string text = checkAxis(a.axis, x.rank); !text.empty())
    return text;
  if (a.largest != 0 && a.largest != 1)
    return "largest is not 0 or 1";
  if (std::string text = checkSameRank(x, y); !text.empty())
    return text;
  for (int d = 0; d < x.rank; ++d)
    if (d == a.axis ? y.dims[d] > x.dims[d] : y.dims[d] != x.dims[d])
      return wrongExtent("output", d, y.dims[d], x.dims[d]) +
             (d == a.axis ? " or fewer" : "");
  return "";
}

} // namespace npu::kernels
