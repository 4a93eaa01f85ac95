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

namespace {
/// A digit of an operand's dimension: its step is `place` elements of the
/// dimension and `stride` elements of memory.
struct Part {
  int64_t place, size, stride;
};
} // namespace

/// The digits of a dimension, outermost first; those that are one run (the
/// channels of a vector in blocks, say) are one.
static std::vector<Part> partsOf(const npu_tensor_desc &operand,
                                 const kernels::Strides &strides, int dim) {
  int64_t place = kernels::blockOf(operand, dim);
  std::vector<Part> parts = {
      {place, (operand.dims[dim] + place - 1) / place, strides.outer[dim]}};
  for (int i = 0; i < operand.block_count; ++i) {
    if (operand.block_dims[i] != dim)
      continue;
    int64_t size = operand.block_sizes[i], stride = strides.block[i];
    place /= size;
    if (parts.back().size == 1 || parts.back().stride == stride * size)
      parts.back() = {place, parts.back().size * size, stride};
    else
      parts.push_back({place, size, stride});
  }
  return parts;
}

/// Which dimension of an operand a loop walks; -1: none.
static int operandDim(const npu_tensor_desc &operand,
                      const npu_tensor_desc &result, const Loop &loop) {
  return std::max(-1, loop.dim - (result.rank - operand.rank));
}

/// Elements of a dimension that the result stores, padding included.
static int64_t storedExtent(const npu_tensor_desc &result, int dim) {
  const int64_t block = kernels::blockOf(result, dim);
  return (result.dims[dim] + block - 1) / block * block;
}

/// Remembers that the loops over a dimension go beyond what is stored.
static void addRagged(LoopNest &nest, int dim, int64_t extent) {
  if (!llvm::any_of(nest.ragged, [&](const auto &r) { return r.dim == dim; }))
    nest.ragged.push_back({dim, extent});
}

/// Cuts the loops where an operand's digits begin, the last one of the
/// outermost loop shorter where it has to be; false where another one does not
/// divide.
static bool cutLoops(const npu_tensor_desc &operand,
                     const npu_tensor_desc &result, std::vector<Loop> &loops,
                     LoopNest &nest) {
  kernels::Strides strides = kernels::stridesOf(operand);
  std::vector<Loop> cut;
  for (Loop loop : loops) {
    int dim = operandDim(operand, result, loop);
    if (dim >= 0 && operand.dims[dim] != 1)
      for (const Part &part : partsOf(operand, strides, dim)) {
        int64_t begin = loop.multiplier, end = begin * loop.extent;
        if (part.place <= begin || part.place >= end)
          continue;
        const int64_t stored = storedExtent(result, loop.dim);
        const bool divides = end % part.place == 0;
        if (part.place % begin != 0 || (!divides && end < stored))
          return false;
        if (!divides)
          addRagged(nest, loop.dim, stored);
        cut.push_back(
            {(end + part.place - 1) / part.place, {}, loop.dim, part.place});
        loop.extent = part.place / begin;
      }
    cut.push_back(loop);
  }
  loops = std::move(cut);
  return true;
}

/// The stride of one operand in each loop; false where its blocks do not fit.
static bool addStrides(const npu_tensor_desc &operand,
                       const npu_tensor_desc &result,
                       std::vector<Loop> &loops) {
  kernels::Strides strides = kernels::stridesOf(operand);
  for (Loop &loop : loops) {
    int dim = operandDim(operand, result, loop);
    loop.strides.push_back(0);
    if (dim < 0 || (operand.dims[dim] == 1 && result.dims[loop.dim] != 1))
      continue;
    std::vector<Part> parts = partsOf(operand, strides, dim);
    // Behind the outermost digit lies padding of the result, which is not read.
    auto part = llvm::find_if(
        parts, [&](const Part &p) { return p.place <= loop.multiplier; });
    if (part == parts.end() || loop.multiplier % part->place != 0)
      return false;
    loop.strides.back() = part->stride * (loop.multiplier / part->place);
  }
  return true;
}

/// Merges neighbouring loops that every operand walks as one run. A loop over a
/// padded or ragged dimension stays as it is: its index decides which lanes are
/// real.
static std::vector<Loop> collapse(const std::vector<Loop> &loops,
                                  const LoopNest &nest) {
  auto isPadded = [&](const Loop &loop) {
    auto isOfLoop = [&](const auto &p) { return p.dim == loop.dim; };
    return llvm::any_of(nest.padded, isOfLoop) ||
           llvm::any_of(nest.ragged, isOfLoop);
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
    if (!cutLoops(input, result, loops, nest))
      return std::nullopt;
  for (const npu_tensor_desc &input : problem.inputs)
    if (!addStrides(input, result, loops))
      return std::nullopt;
  if (!addStrides(result, result, loops))
    return std::nullopt;
  nest.loops = collapse(loops, nest);
  // Rows that are mostly not there, as the loader checks.
  if (!nest.ragged.empty() && nest.rows() > kernels::elementCount(result))
    return std::nullopt;
  return nest;
}
