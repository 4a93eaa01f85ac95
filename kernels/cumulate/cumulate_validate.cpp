// SPDX-License-Identifier: Apache-2.0

#include "kernels/validate.h"

namespace npu::kernels {

std::string validateCumulate(const Problem &problem) {
  const npu_tensor_desc &x = problem.inputs[0], &y = problem.outputs[0];
  const npu_cumulate_attrs &a = problem.attrs.cumulate;
  if (std::string text = checkAxis(a.axis, x.rank); !text.empty())
    return text;
  if (a.kind != NPU_CUMULATE_SUM && a.kind != NPU_CUMULATE_PROD)
    return "unknown kind " + std::to_string(a.kind);
  if ((a.exclusive != 0 && a.exclusive != 1) ||
      (a.reverse != 0 && a.reverse != 1))
    return "exclusive or reverse is not 0 or 1";
  if (x.dtype == NPU_BOOL)
    return "data is bool";
  return checkSameShape(x, y);
}

} // namespace npu::kernels
