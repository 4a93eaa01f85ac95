// SPDX-License-Identifier: Apache-2.0
#include "compiler/Codegen/LoopNest.h"

#include "kernels/tensor.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace npu;

int64_t LoopNest::rows() const {
  int64_t product = 1;
  for (size_t i = 0; i + 1 < loops.size(); ++i)
    product *= loops[i].extent;
  return product;
}

/// The loops over the result's stored dimensions, without strides.
static std::vector<Loop> resultLoops(const npu_tensor_desc &result) {
  std::vector<Loop> loops;
  for (int i = 0; i < result.rank; ++i) {
    int dim = result.order[i];
    int64_t block = kernels::blockOf(result, dim);
    loops.push_back({(result.dims[dim] + block - 1) / block, {}, dim, block});
  }
  for (int i = 0; i < result.block_count; ++i) {
    int64_t inner = 1;
    for (int j = i + 1; j < result.block_count; ++j)
      if (result.block_dims[j] == result.block_dims[i])
        inner *= result.block_sizes[j];
    loops.push_back({result.block_sizes[i], {}, result.block_dims[i], inner});
  }
  return loops;
}

static bool sameBlocks(const npu_tensor_desc &a, int aDim,
                       const npu_tensor_desc &b, int bDim) {
  return kernels::blockOf(a, aDim) == kernels::blockOf(b, bDim) &&
         a.block_count == b.block_count;
}

/// The step from each element of a dimension to the next, where all are alike:
/// of a blocked one, where its blocks stand one behind the other (the channels
/// of a vector, say).
static std::optional<int64_t> evenStride(const npu_tensor_desc &operand,
                                         const kernels::Strides &strides,
                                         int dim) {
  int64_t block = kernels::blockOf(operand, dim);
  if (block == 1)
    return strides.outer[dim];
  for (int i = 0; i < operand.block_count; ++i)
    if (operand.block_dims[i] == dim && operand.block_sizes[i] == block &&
        strides.outer[dim] == block * strides.block[i])
      return strides.block[i];
  return std::nullopt;
}

/// The stride of one operand in each loop; false where its blocks do not fit.
static bool addStrides(const npu_tensor_desc &operand,
                       const npu_tensor_desc &result,
                       std::vector<Loop> &loops) {
  kernels::Strides strides = kernels::stridesOf(operand);
  for (size_t i = 0; i < loops.size(); ++i) {
    Loop &loop = loops[i];
    int dim = loop.dim - (result.rank - operand.rank);
    bool isBlockLoop = i >= static_cast<size_t>(result.rank);
    int64_t stride = 0;
    if (dim >= 0 && operand.dims[dim] != 1) {
      if (auto even = evenStride(operand, strides, dim))
        stride = *even * loop.multiplier;
      else if (!sameBlocks(operand, dim, result, loop.dim))
        return false;
      else
        stride =
            isBlockLoop ? strides.block[i - result.rank] : strides.outer[dim];
    } else if (dim >= 0 && result.dims[loop.dim] == 1 &&
               kernels::blockOf(operand, dim) > 1 && isBlockLoop) {
      stride = strides.block[i - result.rank];
    }
    loop.strides.push_back(stride);
  }
  return true;
}

/// Merges neighbouring loops that every operand walks as one run. A loop over a
/// padded dimension stays as it is: its index decides which lanes are real.
static std::vector<Loop> collapse(const std::vector<Loop> &loops,
                                  const std::vector<LoopNest::Padded> &padded) {
  auto isPadded = [&](const Loop &loop) {
    return llvm::any_of(padded,
                        [&](const auto &p) { return p.dim == loop.dim; });
  };
  std::vector<Loop> result;
  for (const Loop &loop : loops) {
    if (loop.extent == 1)
      continue;
    bool merges =
        !result.empty() && !isPadded(loop) && !isPadded(result.back());
    for (size_t i = 0; merges && i < loop.strides.size(); ++i)
      merges = result.back().strides[i] == loop.strides[i] * loop.extent;
    if (!merges) {
      result.push_back(loop);
      continue;
    }
    int64_t extent = result.back().extent * loop.extent;
    result.back() = loop;
    result.back().extent = extent;
  }
  if (result.empty()) // one element: a step that advances nothing
    result.push_back(
        {1, std::vector<int64_t>(loops.front().strides.size(), 0), 0, 1});
  return result;
}

std::optional<LoopNest> npu::makeLoopNest(const kernels::Problem &problem) {
  const npu_tensor_desc &result = problem.outputs.front();
  std::vector<Loop> loops = resultLoops(result);
  LoopNest nest;
  for (int dim = 0; dim < result.rank; ++dim)
    if (result.dims[dim] % kernels::blockOf(result, dim) != 0)
      nest.padded.push_back({dim, result.dims[dim]});
  if (loops.empty()) { // a scalar
    nest.loops = {
        {1, std::vector<int64_t>(problem.inputs.size() + 1, 0), 0, 1}};
    return nest;
  }
  for (const npu_tensor_desc &input : problem.inputs)
    if (!addStrides(input, result, loops))
      return std::nullopt;
  if (!addStrides(result, result, loops))
    return std::nullopt;
  nest.loops = collapse(loops, nest.padded);
  return nest;
}
