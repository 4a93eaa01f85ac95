// SPDX-License-Identifier: Apache-2.0
#include "chip/movement.h"

#include "kernels/tensor.h"

#include <algorithm>

namespace npu::chip {
namespace {

/// Of each dimension of the result: the source's elements between neighbours.
using Steps = std::vector<int64_t>;

struct Source {
  Steps steps;
  int64_t first = 0; ///< element that goes to the first of the result
};

/// Where each element of a result of one input comes from.
bool sourceOf(const kernels::Problem &problem, Source &source) {
  const npu_tensor_desc &input = problem.inputs.front();
  const npu_tensor_desc &result = problem.outputs.front();
  const kernels::Strides strides = kernels::stridesOf(input);
  source.steps.assign(static_cast<size_t>(result.rank), 0);
  const int shift = result.rank - input.rank;
  for (int d = 0; d < result.rank; ++d) {
    int64_t &step = source.steps[static_cast<size_t>(d)];
    switch (problem.op) {
    case NPU_OP_RELAYOUT:
      step = strides.outer[d];
      break;
    case NPU_OP_TRANSPOSE:
      step = strides.outer[problem.attrs.transpose.permutation[d]];
      break;
    case NPU_OP_BROADCAST:
      if (d >= shift && input.dims[d - shift] != 1)
        step = strides.outer[d - shift];
      break;
    case NPU_OP_SLICE:
      step = strides.outer[d] * problem.attrs.slice.steps[d];
      source.first += strides.outer[d] * problem.attrs.slice.starts[d];
      break;
    default:
      return false;
    }
  }
  return true;
}

/// As many elements as `part`, whose order is the result's.
Movement movementOf(const npu_tensor_desc &part, const Source &source,
                    const npu_tensor_desc &result) {
  const int64_t bytes = kernels::dtypeBytes(result.dtype);
  std::vector<int64_t> from;
  for (int place = 0; place < part.rank; ++place)
    from.push_back(source.steps[static_cast<size_t>(part.order[place])] *
                   bytes);
  Movement movement;
  movement.from = source.first * bytes;
  movement.pattern = patternOf(part, from, storedStrides(result));
  return movement;
}

std::vector<Movement> ofConcat(const kernels::Problem &problem) {
  const npu_tensor_desc &result = problem.outputs.front();
  const auto axis = problem.attrs.axis.axis;
  const int64_t step = kernels::stridesOf(result).outer[axis] *
                       kernels::dtypeBytes(result.dtype);
  std::vector<Movement> movements;
  int64_t before = 0;
  for (size_t i = 0; i < problem.inputs.size(); ++i) {
    const npu_tensor_desc &input = problem.inputs[i];
    if (kernels::elementCount(input) == 0)
      continue;
    const kernels::Strides strides = kernels::stridesOf(input);
    npu_tensor_desc part = result;
    std::copy(input.dims, input.dims + input.rank, part.dims);
    movements.push_back(movementOf(
        part, {Steps(strides.outer, strides.outer + input.rank)}, result));
    movements.back().input = i;
    movements.back().to = before * step;
    before += input.dims[axis];
  }
  return movements;
}

} // namespace

std::vector<Movement> movementsOf(const kernels::Problem &problem) {
  const npu_tensor_desc &result = problem.outputs.front();
  const bool hasBlocks =
      result.block_count > 0 ||
      std::any_of(
          problem.inputs.begin(), problem.inputs.end(),
          [](const npu_tensor_desc &input) { return input.block_count > 0; });
  if (hasBlocks || !problem.instrs.empty())
    return {};
  if (problem.op == NPU_OP_CONCAT)
    return ofConcat(problem);
  Source source;
  if (!sourceOf(problem, source))
    return {};
  return {movementOf(result, source, result)};
}

} // namespace npu::chip
