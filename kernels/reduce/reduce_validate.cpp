// SPDX-License-Identifier: Apache-2.0

#include "kernels/support/convert.h"
#include "kernels/validate.h"

namespace npu::kernels {

std::string validateReduce(const Problem &problem) {
  const npu_tensor_desc &x = problem.inputs[0], &y = problem.outputs[0];
  const npu_reduce_attrs &a = problem.attrs.reduce;
  if (a.kind < 0 || a.kind > NPU_REDUCE_SUM_SQUARE)
    return "unknown kind " + std::to_string(a.kind);
  if (a.keep_dims != 0 && a.keep_dims != 1)
    return "keep_dims is not 0 or 1";
  if (a.axes_mask < 0 || a.axes_mask >> x.rank)
    return "an axis lies beyond rank " + std::to_string(x.rank);
  bool isLog = a.kind == NPU_REDUCE_LOG_SUM || a.kind == NPU_REDUCE_LOG_SUM_EXP;
  if (x.dtype == NPU_BOOL || (isLog && !isFloat(x.dtype)))
    return std::string("this kind has no meaning on ") + dtypeName(x.dtype);
  int to = 0;
  for (int d = 0; d < x.rank; ++d) {
    bool isReduced = a.axes_mask >> d & 1;
    if (isReduced && !a.keep_dims)
      continue;
    int64_t expected = isReduced ? 1 : x.dims[d];
    if (to >= y.rank)
      return "the output has too few dimensions";
    if (y.dims[to] != expected)
      return wrongExtent("output", to, y.dims[to], expected);
    ++to;
  }
  return to == y.rank ? "" : "the output has too many dimensions";
}

} // namespace npu::kernels
