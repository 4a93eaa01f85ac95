// SPDX-License-Identifier: Apache-2.0

#include "kernels/tensor.h"
#include "kernels/validate.h"

namespace npu::kernels {

static std::string checkPermutation(const Problem &problem) {
  const npu_tensor_desc &x = problem.inputs[0], &y = problem.outputs[0];
  unsigned seen = 0;
  for (int d = 0; d < y.rank; ++d) {
    int64_t from = problem.attrs.transpose.permutation[d];
    if (from < 0 || from >= x.rank || (seen >> from & 1))
      return "the permutation names a dimension twice or one that is not there";
    seen |= 1u << from;
    if (y.dims[d] != x.dims[from])
      return wrongExtent("output", d, y.dims[d], x.dims[from]);
  }
  return "";
}

static std::string checkBroadcast(const Problem &problem) {
  const npu_tensor_desc &x = problem.inputs[0], &y = problem.outputs[0];
  if (x.rank > y.rank)
    return "the output has fewer dimensions than the input";
  for (int d = 0; d < x.rank; ++d) {
    int64_t to = y.dims[d + y.rank - x.rank];
    if (x.dims[d] != 1 && x.dims[d] != to)
      return wrongExtent("input", d, x.dims[d], to);
  }
  return "";
}

std::string validateRelayout(const Problem &problem) {
  const npu_tensor_desc &x = problem.inputs[0], &y = problem.outputs[0];
  if (problem.op == NPU_OP_BROADCAST)
    return checkBroadcast(problem);
  if (problem.op == NPU_OP_RESHAPE) {
    if (elementCount(x) != elementCount(y))
      return "the input has " + std::to_string(elementCount(x)) +
             " elements, the output " + std::to_string(elementCount(y));
    return "";
  }
  if (problem.op != NPU_OP_TRANSPOSE)
    return checkSameShape(x, y);
  std::string text = checkSameRank(x, y);
  return text.empty() ? checkPermutation(problem) : text;
}

} // namespace npu::kernels
