// SPDX-License-Identifier: Apache-2.0
#include "compiler/Codegen/ValueParts.h"

#include "kernels/tensor.h"

using namespace npu;

std::optional<int64_t> npu::partOffset(const kernels::Problem &problem) {
  if (problem.op != NPU_OP_SLICE || !problem.instrs.empty())
    return std::nullopt;
  const npu_tensor_desc &whole = problem.inputs[0], &part = problem.outputs[0];
  if (whole.block_count || part.block_count || kernels::elementCount(part) == 0)
    return std::nullopt;
  const kernels::Strides from = kernels::stridesOf(whole),
                         to = kernels::stridesOf(part);
  int64_t offset = 0;
  for (int d = 0; d < part.rank; ++d) {
    offset += problem.attrs.slice.starts[d] * from.outer[d];
    // Of one element in this dimension no step is ever made.
    if (part.dims[d] > 1 &&
        (problem.attrs.slice.steps[d] != 1 || from.outer[d] != to.outer[d]))
      return std::nullopt;
  }
  offset *= kernels::dtypeBytes(part.dtype);
  return offset % NPU_VALUE_ALIGNMENT == 0 ? std::optional(offset)
                                           : std::nullopt;
}
