// SPDX-License-Identifier: Apache-2.0

#include "kernels/index/scatter.h"
#include "kernels/parallel.h"
#include "kernels/support/convert.h"

#include <algorithm>
#include <atomic>

namespace npu::kernels {

constexpr int64_t minElementsPerThread = 4096;
/// Fewer lines behind each other are one thread's.
constexpr int64_t minLinesPerThread = 64;

namespace {
/// Walks over the updates in their own order. Only those of one line along the
/// axis may meet, and in whatever order dimensions are stored, they come one
/// after the other along it; so threads share lines.
class ScatterElementsFast : public ScatterFast {
public:
  explicit ScatterElementsFast(const Problem &p)
      : ScatterFast(p), walk(walkOf(p.inputs[2])) {
    const npu_tensor_desc &result = p.outputs[0], &updates = p.inputs[2];
    auto axis = static_cast<int>(p.attrs.index.axis);
    extent = result.dims[axis];
    along = dimMap(result, axis, extent);
    std::vector<DimMap> others = dimMaps(result);
    others[static_cast<size_t>(axis)] = DimMap();
    for (std::vector<DimMap> &maps : std::vector<std::vector<DimMap>>{
             dimMaps(updates), dimMaps(p.inputs[1]), others})
      walk.add(inOrder(updates, maps));
    bool isBehind = false;
    for (int place = 0; place < updates.rank; ++place) {
      int dim = updates.order[place];
      if (dim == axis)
        isBehind = true;
      else
        (isBehind ? behind : before) *= updates.dims[dim];
    }
    length = updates.dims[axis];
  }

  std::string implementation() const override {
    return "native:scatter_elements";
  }

private:
  static constexpr int batch = 256;

  int scatter(void *const *operands) const override {
    std::atomic<bool> isOutside{false};
    auto joinRange = [&](Range range) {
      for (int64_t at = range.begin; at < range.end; at += batch) {
        auto count = static_cast<int>(std::min<int64_t>(batch, range.end - at));
        if (!joinBatch(operands, at, count))
          isOutside = true;
      }
    };
    int team = teamFor(walk.size(), minElementsPerThread, problem.threads);
    bool sharesOuter = before >= 4 * team;
    if (!sharesOuter && behind < team * minLinesPerThread)
      team = 1;
    parallelFor(team, [&](int thread, int all) {
      if (sharesOuter || all == 1) {
        Range lines = shareOf(before, thread, all);
        joinRange({lines.begin * length * behind, lines.end * length * behind});
        return;
      }
      Range lines = shareOf(behind, thread, all);
      for (int64_t row = 0; row < before * length; ++row)
        joinRange({row * behind + lines.begin, row * behind + lines.end});
    });
    return isOutside ? 1 : 0;
  }

  /// False if an index lies outside of the data.
  bool joinBatch(void *const *operands, int64_t start, int count) const {
    int64_t index[batch], from[batch], where[batch], base[batch];
    load(problem.inputs[1].dtype, operands[1],
         walk.offsets(1, start, count, where), where, count, index);
    walk.list(0, start, count, from);
    walk.list(2, start, count, base);
    for (int i = 0; i < count; ++i) {
      int64_t place = index[i] + (index[i] < 0 ? extent : 0);
      if (place < 0 || place >= extent)
        return false;
      base[i] += along.at(place);
    }
    join.each(operands[problem.inputs.size()], base, operands[2], from, count);
    return true;
  }

  int64_t extent;                 // of the result along the axis
  DimMap along;                   // of the result, where the indices point
  Walk walk;                      // updates, indices, result at index 0
  int64_t before = 1, behind = 1; // lines outside and inside of the axis
  int64_t length;                 // of updates along the axis
};
} // namespace

std::unique_ptr<Kernel> createScatterElementsFast(const Problem &problem,
                                                  std::string &whyNot) {
  whyNot = whyNotScatter(problem);
  if (!whyNot.empty())
    return nullptr;
  return std::make_unique<ScatterElementsFast>(problem);
}

} // namespace npu::kernels
