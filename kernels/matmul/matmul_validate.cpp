// SPDX-License-Identifier: Apache-2.0

#include "kernels/support/convert.h"
#include "kernels/validate.h"

#include <algorithm>

namespace npu::kernels {

std::string validateMatmul(const Problem &problem) {
  const npu_tensor_desc &a = problem.inputs[0], &b = problem.inputs[1],
                        &y = problem.outputs[0];
  if (a.rank < 2 || b.rank < 2)
    return "operands of rank " + std::to_string(a.rank) + " and " +
           std::to_string(b.rank) + ", expected at least 2";
  if (y.rank != std::max(a.rank, b.rank))
    return "output of rank " + std::to_string(y.rank) + ", expected " +
           std::to_string(std::max(a.rank, b.rank));
  if (isFloat(a.dtype) != isFloat(b.dtype) || a.dtype == NPU_BOOL ||
      b.dtype == NPU_BOOL)
    return std::string("operands are ") + dtypeName(a.dtype) + " and " +
           dtypeName(b.dtype);
  if (b.dims[b.rank - 2] != a.dims[a.rank - 1])
    return wrongExtent("second operand", b.rank - 2, b.dims[b.rank - 2],
                       a.dims[a.rank - 1]);
  if (y.dims[y.rank - 2] != a.dims[a.rank - 2])
    return wrongExtent("output", y.rank - 2, y.dims[y.rank - 2],
                       a.dims[a.rank - 2]);
  if (y.dims[y.rank - 1] != b.dims[b.rank - 1])
    return wrongExtent("output", y.rank - 1, y.dims[y.rank - 1],
                       b.dims[b.rank - 1]);
  for (int d = 0; d < y.rank - 2; ++d) {
    int inA = d - (y.rank - a.rank), inB = d - (y.rank - b.rank);
    int64_t first = inA < 0 ? 1 : a.dims[inA];
    int64_t second = inB < 0 ? 1 : b.dims[inB];
    if (first != second && first != 1 && second != 1)
      return "batch dimension " + std::to_string(d) + " is " +
             std::to_string(first) + " and " + std::to_string(second) +
             ", which do not broadcast";
    int64_t expected = first == 1 ? second : first;
    if (y.dims[d] != expected)
      return wrongExtent("output", d, y.dims[d], expected);
  }
  return "";
}

} // namespace npu::kernels
