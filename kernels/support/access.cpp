// SPDX-License-Identifier: Apache-2.0

#include "kernels/support/access.h"

#include <algorithm>
#include <cstring>

namespace npu::kernels {

DimMap dimMap(const npu_tensor_desc &tensor, int dim, int64_t extent) {
  Strides strides = stridesOf(tensor);
  DimMap map;
  if (blockOf(tensor, dim) == 1) {
    map.stride = strides.outer[dim];
    return map;
  }
  map.table.resize(static_cast<size_t>(extent));
  int64_t index[NPU_MAX_RANK] = {};
  for (int64_t i = 0; i < extent; ++i) {
    index[dim] = i;
    map.table[static_cast<size_t>(i)] = offsetOf(tensor, strides, index);
  }
  return map;
}

std::vector<DimMap> dimMaps(const npu_tensor_desc &tensor) {
  std::vector<DimMap> maps;
  maps.reserve(static_cast<size_t>(tensor.rank));
  for (int d = 0; d < tensor.rank; ++d)
    maps.push_back(dimMap(tensor, d, tensor.dims[d]));
  return maps;
}

std::vector<int64_t> withDim(const std::vector<int64_t> &offsets,
                             const DimMap &map, int64_t count, int64_t step) {
  std::vector<int64_t> result;
  result.reserve(offsets.size() * static_cast<size_t>(count));
  for (int64_t before : offsets)
    for (int64_t i = 0; i < count; ++i)
      result.push_back(before + map.at(i * step));
  return result;
}

std::vector<DimMap> broadcastMaps(const npu_tensor_desc &tensor,
                                  const npu_tensor_desc &target) {
  std::vector<DimMap> maps(static_cast<size_t>(target.rank));
  int shift = target.rank - tensor.rank;
  for (int d = 0; d < tensor.rank; ++d)
    if (tensor.dims[d] != 1)
      maps[static_cast<size_t>(d + shift)] = dimMap(tensor, d, tensor.dims[d]);
  return maps;
}

Walk::Walk(std::vector<int64_t> loops) : extents(std::move(loops)) {
  if (extents.empty())
    extents.push_back(1);
  for (int64_t extent : extents)
    count *= extent;
}

int Walk::add(std::vector<DimMap> maps) {
  if (maps.empty())
    maps.emplace_back();
  operands.push_back(std::move(maps));
  return static_cast<int>(operands.size()) - 1;
}

void Walk::coalesce() {
  for (size_t d = extents.size() - 1; d > 0; --d) {
    bool unit = extents[d - 1] == 1 || extents[d] == 1;
    bool mergeable =
        std::all_of(operands.begin(), operands.end(), [&](const auto &maps) {
          const DimMap &outer = maps[d - 1], &inner = maps[d];
          return outer.isLinear() && inner.isLinear() &&
                 (unit || outer.stride == inner.stride * extents[d]);
        });
    if (!mergeable)
      continue;
    for (auto &maps : operands) {
      if (extents[d] == 1)
        maps[d].stride = maps[d - 1].stride;
      maps.erase(maps.begin() + static_cast<long>(d) - 1);
    }
    extents[d] *= extents[d - 1];
    extents.erase(extents.begin() + static_cast<long>(d) - 1);
  }
}

Walk::Run Walk::offsets(int operand, int64_t start, int n, int64_t *out) const {
  const auto &maps = operands[static_cast<size_t>(operand)];
  size_t last = extents.size() - 1;
  int64_t index[NPU_MAX_RANK + 1];
  for (size_t d = last + 1; d-- > 0;) {
    index[d] = start % extents[d];
    start /= extents[d];
  }
  int done = 0;
  while (true) {
    int64_t base = 0;
    for (size_t d = 0; d < last; ++d)
      base += maps[d].at(index[d]);
    const DimMap &inner = maps[last];
    int m = static_cast<int>(
        std::min<int64_t>(n - done, extents[last] - index[last]));
    if (inner.isLinear()) {
      int64_t offset = base + index[last] * inner.stride;
      if (m == n && inner.stride <= 1 && inner.stride >= 0) {
        out[0] = offset;
        return inner.stride ? Run::Contiguous : Run::Constant;
      }
      for (int i = 0; i < m; ++i, offset += inner.stride)
        out[done + i] = offset;
    } else {
      const int64_t *table = inner.table.data() + index[last];
      for (int i = 0; i < m; ++i)
        out[done + i] = base + table[i];
    }
    done += m;
    if (done == n)
      return Run::Listed;
    index[last] = 0;
    for (size_t d = last; d-- > 0;) {
      if (++index[d] < extents[d])
        break;
      index[d] = 0;
    }
  }
}

Walk::Run Walk::list(int operand, int64_t start, int n, int64_t *out) const {
  Run run = offsets(operand, start, n, out);
  if (run != Run::Listed)
    for (int i = 1; i < n; ++i)
      out[i] = out[0] + (run == Run::Contiguous ? i : 0);
  return run;
}

Walk walkOf(const npu_tensor_desc &tensor) {
  std::vector<int64_t> extents;
  extents.reserve(static_cast<size_t>(tensor.rank));
  for (int place = 0; place < tensor.rank; ++place)
    extents.push_back(tensor.dims[tensor.order[place]]);
  return Walk(std::move(extents));
}

std::vector<DimMap> inOrder(const npu_tensor_desc &tensor,
                            std::vector<DimMap> maps) {
  std::vector<DimMap> ordered;
  ordered.reserve(maps.size());
  for (int place = 0; place < tensor.rank; ++place)
    ordered.push_back(
        std::move(maps[static_cast<size_t>(tensor.order[place])]));
  return ordered;
}

} // namespace npu::kernels
