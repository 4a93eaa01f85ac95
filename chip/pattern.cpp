// SPDX-License-Identifier: Apache-2.0
#include "chip/pattern.h"

#include "kernels/tensor.h"

#include <algorithm>

namespace npu::chip {

std::vector<int64_t> storedStrides(const npu_tensor_desc &tensor) {
  const kernels::Strides strides = kernels::stridesOf(tensor);
  const int64_t bytes = kernels::dtypeBytes(tensor.dtype);
  std::vector<int64_t> all;
  for (int place = 0; place < tensor.rank; ++place)
    all.push_back(strides.outer[tensor.order[place]] * bytes);
  for (int block = 0; block < tensor.block_count; ++block)
    all.push_back(strides.block[block] * bytes);
  return all;
}

/// Extents of the same.
static std::vector<int64_t> storedExtents(const npu_tensor_desc &tensor) {
  std::vector<int64_t> all;
  for (int place = 0; place < tensor.rank; ++place) {
    const int dim = tensor.order[place];
    const int64_t block = kernels::blockOf(tensor, dim);
    all.push_back((tensor.dims[dim] + block - 1) / block);
  }
  for (int block = 0; block < tensor.block_count; ++block)
    all.push_back(tensor.block_sizes[block]);
  return all;
}

/// Whether what lies outside a level goes on where the level ends; of strides
/// that a damaged file may have.
static bool continues(int64_t outer, int64_t count, int64_t stride) {
  int64_t end = 0;
  return !__builtin_mul_overflow(count, stride, &end) && end == outer;
}

Pattern patternOf(const npu_tensor_desc &tile,
                  const std::vector<int64_t> &source,
                  const std::vector<int64_t> &target) {
  const std::vector<int64_t> extents = storedExtents(tile);
  Pattern pattern;
  pattern.run = kernels::dtypeBytes(tile.dtype);
  for (size_t i = extents.size(); i-- > 0;) {
    if (extents[i] == 1)
      continue;
    if (pattern.levels.empty() && source[i] == pattern.run &&
        target[i] == pattern.run) {
      pattern.run *= extents[i];
      continue;
    }
    if (!pattern.levels.empty()) {
      const Level inner = pattern.levels.back();
      if (continues(source[i], inner.count(), inner.source()) &&
          continues(target[i], inner.count(), inner.target())) {
        pattern.levels.back() =
            Level(inner.count() * extents[i], inner.source(), inner.target());
        continue;
      }
    }
    pattern.levels.emplace_back(extents[i], source[i], target[i]);
  }
  std::reverse(pattern.levels.begin(), pattern.levels.end());
  return pattern;
}

bool reachOf(const std::vector<Level> &levels, int64_t run, bool ofTarget,
             Reach &reach) {
  reach = {0, run};
  for (const Level &level : levels) {
    int64_t far = 0;
    int64_t &end = (ofTarget ? level.target() : level.source()) < 0
                       ? reach.low
                       : reach.high;
    if (__builtin_mul_overflow(level.count() - 1,
                               ofTarget ? level.target() : level.source(),
                               &far) ||
        __builtin_add_overflow(end, far, &end))
      return false;
  }
  return true;
}

int64_t bytesOf(const std::vector<Level> &levels, int64_t run) {
  int64_t bytes = run;
  for (const Level &level : levels)
    bytes *= level.count();
  return bytes;
}

} // namespace npu::chip
