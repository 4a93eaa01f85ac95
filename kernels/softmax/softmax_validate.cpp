// SPDX-License-Identifier: Apache-2.0

#include "kernels/support/convert.h"
#include "kernels/validate.h"

namespace npu::kernels {

std::string validateSoftmax(const Problem &problem) {
  const npu_tensor_desc &x = problem.inputs[0], &y = problem.outputs[0];
  const npu_axis_attrs &a = problem.attrs.axis;
  if (!isFloat(x.dtype))
    return std::string("softmax of ") + dtypeName(x.dtype);
  if (a.axis < 0 || a.axis >= x.rank)
    return "axis " + std::to_string(a.axis) + " is not in 0.." +
           std::to_string(x.rank - 1);
  if (a.is_log != 0 && a.is_log != 1)
    return "is_log is not 0 or 1";
  if (y.rank != x.rank)
    return "input and output have different ranks";
  for (int d = 0; d < x.rank; ++d)
    if (y.dims[d] != x.dims[d])
      return wrongExtent("output", d, y.dims[d], x.dims[d]);
  return "";
}

} // namespace npu::kernels
