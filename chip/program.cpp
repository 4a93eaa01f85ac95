// SPDX-License-Identifier: Apache-2.0
#include "chip/program.h"

#include <algorithm>

namespace npu::chip {

std::string nameOf(const RegionT &region) {
  switch (region.kind) {
  case RegionKind::Weights:
    return "the weights";
  case RegionKind::Made:
    return "the constants made at load";
  case RegionKind::Arena:
    return "the arena";
  case RegionKind::Input:
    return "input " + std::to_string(region.number);
  case RegionKind::Output:
    return "output " + std::to_string(region.number);
  case RegionKind::OnChip:
    break;
  }
  return "the on-chip memory";
}

const char *nameOf(Engine engine) {
  static const char *const names[] = {"array", "vector", "mover", "processor"};
  return names[static_cast<size_t>(engine)];
}

namespace {
/// Arrays of the attributes of windows; null: what the op always has.
struct WindowAttrs {
  const int64_t *kernel, *strides, *dilations, *begin, *end;
};
} // namespace

static WindowAttrs windowAttrs(const kernels::Problem &tile) {
  switch (tile.op) {
  case NPU_OP_CONV:
  case NPU_OP_CONV_TRANSPOSE: {
    const npu_conv_attrs &conv = tile.attrs.conv;
    return {tile.inputs[1].dims + 2, conv.strides, conv.dilations,
            conv.pads_begin, conv.pads_end};
  }
  case NPU_OP_CONV_WINOGRAD: {
    static const int64_t three[] = {3, 3}, one[] = {1, 1};
    const npu_winograd_attrs &winograd = tile.attrs.winograd;
    return {three, one, one, winograd.pads_begin, winograd.pads_end};
  }
  case NPU_OP_MAX_POOL:
  case NPU_OP_AVG_POOL: {
    const npu_pool_attrs &pool = tile.attrs.pool;
    return {pool.kernel, pool.strides, pool.dilations, pool.pads_begin,
            pool.pads_end};
  }
  default:
    return {};
  }
}

npu_chip_window windowOf(const kernels::Problem &tile) {
  npu_chip_window window = {};
  const WindowAttrs attrs = windowAttrs(tile);
  if (!attrs.kernel)
    return window;
  window.spatial = tile.inputs[0].rank - 2;
  const auto spatial = static_cast<size_t>(window.spatial);
  std::copy_n(attrs.kernel, spatial, window.kernel);
  std::copy_n(attrs.strides, spatial, window.strides);
  std::copy_n(attrs.dilations, spatial, window.dilations);
  std::copy_n(attrs.begin, spatial, window.pads_begin);
  std::copy_n(attrs.end, spatial, window.pads_end);
  const bool isGrouped =
      tile.op == NPU_OP_CONV || tile.op == NPU_OP_CONV_TRANSPOSE;
  window.groups = isGrouped ? tile.attrs.conv.groups : 1;
  return window;
}

/// Entries beyond the limits of a descriptor make it one that validate()
/// refuses.
static npu_tensor_desc descriptorOf(const TensorT &tensor) {
  npu_tensor_desc row = {};
  row.weights_offset = -1;
  row.dtype = tensor.type;
  const size_t rank = tensor.extents.size();
  const size_t blocks = tensor.block_dims.size();
  if (rank > NPU_MAX_RANK || tensor.order.size() != rank ||
      blocks > NPU_MAX_BLOCKS || tensor.block_sizes.size() != blocks) {
    row.rank = -1;
    return row;
  }
  row.rank = static_cast<int32_t>(rank);
  row.block_count = static_cast<int8_t>(blocks);
  std::copy(tensor.extents.begin(), tensor.extents.end(), row.dims);
  std::copy(tensor.order.begin(), tensor.order.end(), row.order);
  std::copy(tensor.block_dims.begin(), tensor.block_dims.end(), row.block_dims);
  std::copy(tensor.block_sizes.begin(), tensor.block_sizes.end(),
            row.block_sizes);
  return row;
}

static std::unique_ptr<TensorT> tensorOf(const npu_tensor_desc &row) {
  auto tensor = std::make_unique<TensorT>();
  tensor->type = static_cast<int8_t>(row.dtype);
  tensor->extents.assign(row.dims, row.dims + row.rank);
  tensor->order.assign(row.order, row.order + row.rank);
  tensor->block_dims.assign(row.block_dims, row.block_dims + row.block_count);
  tensor->block_sizes.assign(row.block_sizes,
                             row.block_sizes + row.block_count);
  return tensor;
}

kernels::Problem problemOf(const TileT &tile) {
  kernels::Problem problem;
  problem.op = tile.op;
  for (const auto &tensor : tile.inputs)
    problem.inputs.push_back(descriptorOf(*tensor));
  for (const auto &tensor : tile.outputs)
    problem.outputs.push_back(descriptorOf(*tensor));
  for (const auto &one : tile.instructions)
    problem.instrs.push_back({one->kind, one->a, one->b, one->c, one->alpha,
                              one->beta, one->type, 0});
  const size_t most = std::size(problem.attrs.raw);
  std::copy_n(tile.attributes.begin(), std::min(most, tile.attributes.size()),
              problem.attrs.raw);
  return problem;
}

TileT tileOf(const kernels::Problem &problem) {
  TileT tile;
  tile.op = problem.op;
  for (const npu_tensor_desc &row : problem.inputs)
    tile.inputs.push_back(tensorOf(row));
  for (const npu_tensor_desc &row : problem.outputs)
    tile.outputs.push_back(tensorOf(row));
  for (const npu_instr &row : problem.instrs) {
    auto one = std::make_unique<InstructionT>();
    one->kind = row.kind;
    one->a = row.a;
    one->b = row.b;
    one->c = row.c;
    one->alpha = row.alpha;
    one->beta = row.beta;
    one->type = static_cast<int8_t>(row.dtype);
    tile.instructions.push_back(std::move(one));
  }
  tile.attributes.assign(std::begin(problem.attrs.raw),
                         std::end(problem.attrs.raw));
  while (!tile.attributes.empty() && tile.attributes.back() == 0)
    tile.attributes.pop_back();
  return tile;
}

const npu_tensor_desc &operandOf(const kernels::Problem &problem,
                                 size_t operand) {
  return operand < problem.inputs.size()
             ? problem.inputs[operand]
             : problem.outputs[operand - problem.inputs.size()];
}

} // namespace npu::chip
