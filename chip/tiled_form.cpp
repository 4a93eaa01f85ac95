// SPDX-License-Identifier: Apache-2.0
#include "chip/tiled_form.h"

#include <algorithm>

namespace npu::chip {

Needed neededOf(const DimRule &rule, Span part, int64_t extent, int64_t whole) {
  if (rule.kind == DimRule::All || part.extent == extent)
    return {{0, whole}, 0, 0};
  switch (rule.kind) {
  case DimRule::Same:
    return {part, 0, 0};
  case DimRule::Step: {
    const int64_t begin = rule.first + part.begin * rule.stride;
    const int64_t far = (part.extent - 1) * rule.stride;
    return {{std::min(begin, begin + far), std::abs(far) + 1}, 0, 0};
  }
  case DimRule::Group:
    return {{part.begin / rule.results * rule.data,
             part.extent / rule.results * rule.data},
            0,
            0};
  default:
    break;
  }
  const int64_t begin = rule.first + part.begin * rule.stride;
  const int64_t end = begin + (part.extent - 1) * rule.stride + rule.window;
  const int64_t low = std::max<int64_t>(begin, 0);
  const int64_t high = std::min(end, whole);
  return {{low, high - low}, low - begin, end - high};
}

static void setPads(kernels::Problem &tile, int spatial, const Needed &needed) {
  switch (tile.op) {
  case NPU_OP_CONV:
    tile.attrs.conv.pads_begin[spatial] = needed.before;
    tile.attrs.conv.pads_end[spatial] = needed.behind;
    return;
  case NPU_OP_CONV_WINOGRAD:
    tile.attrs.winograd.pads_begin[spatial] = needed.before;
    tile.attrs.winograd.pads_end[spatial] = needed.behind;
    return;
  default:
    tile.attrs.pool.pads_begin[spatial] = needed.before;
    tile.attrs.pool.pads_end[spatial] = needed.behind;
  }
}

/// Attributes speak of the tile, not of the whole.
static void adapt(kernels::Problem &tile, int dim, const DimRule &rule,
                  const Needed &needed) {
  switch (rule.kind) {
  case DimRule::Window:
    return setPads(tile, dim - 2, needed);
  case DimRule::Group:
    tile.attrs.conv.groups = needed.span.extent / rule.data;
    return;
  case DimRule::Step:
    tile.attrs.slice.starts[dim] = rule.stride < 0 ? needed.span.extent - 1 : 0;
    return;
  default:
    return;
  }
}

kernels::Problem tileOf(const kernels::Problem &problem, const TiledForm &form,
                        const std::vector<Span> &result) {
  kernels::Problem tile;
  tile.op = problem.op;
  tile.inputs = problem.inputs;
  tile.outputs = problem.outputs;
  tile.instrs = problem.instrs;
  tile.attrs = problem.attrs;
  const npu_tensor_desc &whole = problem.outputs.front();
  for (int d = 0; d < whole.rank; ++d)
    tile.outputs.front().dims[d] = result[static_cast<size_t>(d)].extent;
  for (size_t i = 0; i < tile.inputs.size(); ++i) {
    npu_tensor_desc &input = tile.inputs[i];
    input.weights_offset = -1;
    for (int d = 0; d < input.rank; ++d) {
      const DimRule &rule = form.inputs[i][static_cast<size_t>(d)];
      if (rule.kind == DimRule::All)
        continue;
      const Span part = result[static_cast<size_t>(rule.axis)];
      if (part.extent == whole.dims[rule.axis])
        continue;
      const Needed needed =
          neededOf(rule, part, whole.dims[rule.axis], input.dims[d]);
      input.dims[d] = needed.span.extent;
      adapt(tile, d, rule, needed);
    }
  }
  return tile;
}

} // namespace npu::chip
