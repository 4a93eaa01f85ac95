// SPDX-License-Identifier: Apache-2.0

#include "kernels/tensor.h"
#include "kernels/validate.h"

namespace npu::kernels {

std::string validateSlice(const Problem &problem) {
  const npu_tensor_desc &x = problem.inputs[0], &y = problem.outputs[0];
  const npu_slice_attrs &a = problem.attrs.slice;
  if (y.rank != x.rank)
    return "input and output have different ranks";
  for (int d = 0; d < x.rank; ++d) {
    if (a.steps[d] == 0 || !isSmall(a.steps[d]))
      return "step " + std::to_string(a.steps[d]) + " of dimension " +
             std::to_string(d) + " is zero or too large";
    int64_t last;
    if (y.dims[d] == 0)
      continue;
    if (!isSmall(a.starts[d]) ||
        __builtin_mul_overflow(y.dims[d] - 1, a.steps[d], &last) ||
        __builtin_add_overflow(last, a.starts[d], &last) || a.starts[d] < 0 ||
        a.starts[d] >= x.dims[d] || last < 0 || last >= x.dims[d])
      return "dimension " + std::to_string(d) + " reads outside its " +
             std::to_string(x.dims[d]) + " elements";
  }
  return "";
}

} // namespace npu::kernels
