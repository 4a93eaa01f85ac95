// SPDX-License-Identifier: Apache-2.0

#include "kernels/tensor.h"
#include "kernels/validate.h"

namespace npu::kernels {

std::string validateConcat(const Problem &problem) {
  const npu_tensor_desc &y = problem.outputs[0];
  int64_t axis = problem.attrs.axis.axis, sum = 0;
  if (std::string text = checkAxis(axis, y.rank); !text.empty())
    return text;
  for (size_t i = 0; i < problem.inputs.size(); ++i) {
    const npu_tensor_desc &x = problem.inputs[i];
    std::string what = "input " + std::to_string(i);
    if (x.rank != y.rank)
      return what + " has rank " + std::to_string(x.rank) + ", expected " +
             std::to_string(y.rank);
    if (x.dtype != problem.inputs[0].dtype)
      return what + " is " + dtypeName(x.dtype) + ", input 0 is " +
             dtypeName(problem.inputs[0].dtype);
    for (int d = 0; d < y.rank; ++d)
      if (d != axis && x.dims[d] != y.dims[d])
        return wrongExtent(what.c_str(), d, x.dims[d], y.dims[d]);
    sum += x.dims[axis];
  }
  if (y.dims[axis] != sum)
    return wrongExtent("output", static_cast<int>(axis), y.dims[axis], sum);
  return "";
}

} // namespace npu::kernels
