// SPDX-License-Identifier: Apache-2.0

#include "kernels/parallel.h"
#include "kernels/registry.h"
#include "kernels/support/convert.h"
#include "kernels/support/movement.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace npu::kernels {

namespace {

/// Walks over the result in its own order, in any layout, and copies one
/// element for each index.
class GatherElementsFast : public Kernel {
public:
  explicit GatherElementsFast(const Problem &p)
      : indices(p.inputs[1]), result(p.outputs[0]), inputs(p.inputs.size()),
        threads(p.threads), walk(walkOf(p.outputs[0])) {
    const npu_tensor_desc &data = p.inputs[0];
    auto axis = static_cast<int>(p.attrs.index.axis);
    extent = data.dims[axis];
    along = dimMap(data, axis, extent);
    std::vector<DimMap> others = dimMaps(data);
    others[static_cast<size_t>(axis)] = DimMap();
    for (std::vector<DimMap> &maps : std::vector<std::vector<DimMap>>{
             dimMaps(result), dimMaps(indices), others})
      walk.add(inOrder(result, maps));
  }

  std::string implementation() const override {
    return "native:gather_elements";
  }

  int run(void *const *operands, void *) const override {
    switch (dtypeBytes(result.dtype)) {
    case 1:
      return copy<uint8_t>(operands);
    case 2:
      return copy<uint16_t>(operands);
    case 4:
      return copy<uint32_t>(operands);
    default:
      return copy<uint64_t>(operands);
    }
  }

private:
  static constexpr int batch = 256;

  template <typename Element>
  int copy(void *const *operands) const {
    std::atomic<bool> isOutside{false};
    constexpr int64_t minElementsPerThread = 4096;
    int team = teamFor(walk.size(), minElementsPerThread, threads);
    parallelFor(team, [&](int thread, int all) {
      Range range = shareOf(walk.size(), thread, all);
      for (int64_t at = range.begin; at < range.end; at += batch) {
        auto count = static_cast<int>(std::min<int64_t>(batch, range.end - at));
        if (!copyBatch<Element>(operands, at, count))
          isOutside = true;
      }
    });
    zeroPadding(result, operands[inputs]);
    return isOutside ? 1 : 0;
  }

  /// False if an index lies outside of the data.
  template <typename Element>
  bool copyBatch(void *const *operands, int64_t start, int count) const {
    const auto *from = static_cast<const Element *>(operands[0]);
    auto *to = static_cast<Element *>(operands[inputs]);
    int64_t index[batch], into[batch], where[batch], base[batch];
    load(indices.dtype, operands[1], walk.offsets(1, start, count, where),
         where, count, index);
    walk.list(0, start, count, into);
    walk.list(2, start, count, base);
    for (int i = 0; i < count; ++i) {
      int64_t place = index[i] + (index[i] < 0 ? extent : 0);
      if (place < 0 || place >= extent)
        return false;
      to[into[i]] = from[base[i] + along.at(place)];
    }
    return true;
  }

  npu_tensor_desc indices, result;
  size_t inputs;
  int threads;
  int64_t extent;
  DimMap along; // of the data, where the indices point
  Walk walk;    // result, indices, data at index 0
};

} // namespace

std::unique_ptr<Kernel> createGatherElementsFast(const Problem &problem,
                                                 std::string &whyNot) {
  whyNot = whyNotAsStored(problem);
  if (!whyNot.empty())
    return nullptr;
  return std::make_unique<GatherElementsFast>(problem);
}

} // namespace npu::kernels
