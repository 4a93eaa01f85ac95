// SPDX-License-Identifier: Apache-2.0

#include "kernels/support/convert.h"
#include "kernels/validate.h"

namespace npu::kernels {

std::string validateSoftmax(const Problem &problem) {
  const npu_tensor_desc &x = problem.inputs[0], &y = problem.outputs[0];
  const npu_axis_attrs &a = problem.attrs.axis;
  if (!isFloat(x.dtype))
    return std::string("softmax of ") + dtypeName(x.dtype);
  if (std::string text = checkAxis(a.axis, x.rank); !text.empty())
    return text;
  if (a.is_log != 0 && a.is_log != 1)
    return "is_log is not 0 or 1";
  return checkSameShape(x, y);
}

} // namespace npu::kernels
