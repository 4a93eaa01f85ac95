// SPDX-License-Identifier: Apache-2.0

#include "kernels/tensor.h"
#include "kernels/validate.h"

namespace npu::kernels {

std::string validateGather(const Problem &problem) {
  const npu_tensor_desc &x = problem.inputs[0], &indices = problem.inputs[1],
                        &y = problem.outputs[0];
  int64_t axis = problem.attrs.axis.axis;
  if (std::string text = checkAxis(axis, x.rank); !text.empty())
    return text;
  if (indices.dtype != NPU_I64 && indices.dtype != NPU_I32)
    return std::string("indices are ") + dtypeName(indices.dtype) +
           ", expected i64 or i32";
  if (y.rank != x.rank - 1 + indices.rank)
    return "output of rank " + std::to_string(y.rank) + ", expected " +
           std::to_string(x.rank - 1 + indices.rank);
  for (int d = 0; d < y.rank; ++d) {
    int64_t inIndices = d - axis, behind = d - indices.rank + 1;
    int64_t expected = d < axis                   ? x.dims[d]
                       : inIndices < indices.rank ? indices.dims[inIndices]
                                                  : x.dims[behind];
    if (y.dims[d] != expected)
      return wrongExtent("output", d, y.dims[d], expected);
  }
  return "";
}

} // namespace npu::kernels
