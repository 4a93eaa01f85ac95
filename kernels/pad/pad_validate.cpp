// SPDX-License-Identifier: Apache-2.0

#include "kernels/tensor.h"
#include "kernels/validate.h"

namespace npu::kernels {

std::string validatePad(const Problem &problem) {
  const npu_tensor_desc &x = problem.inputs[0], &y = problem.outputs[0];
  const npu_pad_attrs &a = problem.attrs.pad;
  if (a.mode < 0 || a.mode > NPU_PAD_WRAP)
    return "unknown mode " + std::to_string(a.mode);
  if (y.rank != x.rank)
    return "input and output have different ranks";
  for (int d = 0; d < x.rank; ++d) {
    if (!isSmall(a.begin[d]) || !isSmall(a.end[d]))
      return "padding of dimension " + std::to_string(d) + " is too large";
    int64_t expected = x.dims[d] + a.begin[d] + a.end[d];
    if (y.dims[d] != expected)
      return wrongExtent("output", d, y.dims[d], expected);
    if (a.mode != NPU_PAD_CONSTANT && x.dims[d] == 0 && y.dims[d] != 0)
      return "dimension " + std::to_string(d) +
             " is empty, there is nothing to repeat";
  }
  return "";
}

} // namespace npu::kernels
