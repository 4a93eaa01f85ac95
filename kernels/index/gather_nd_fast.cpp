// SPDX-License-Identifier: Apache-2.0

#include "kernels/index/slice_places.h"
#include "kernels/registry.h"
#include "kernels/support/movement.h"

#include <atomic>
#include <cstring>

namespace npu::kernels {

constexpr int64_t minElementsPerThread = 4096;

namespace {
/// Stretches of slices are copied point by point; where they are short, as with
/// channels first, all points of one element at a time.
class GatherNdFast : public Kernel {
public:
  explicit GatherNdFast(const Problem &p)
      : result(p.outputs[0]), inputs(p.inputs.size()), threads(p.threads),
        places(p, p.inputs[0], result, true) {}

  std::string implementation() const override { return "native:gather_nd"; }

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
  template <typename T>
  int copy(void *const *operands) const {
    std::atomic<bool> isOutside{false};
    Range points{0, places.points()}, elements{0, places.sliceElements()};
    int team = teamFor(elementCount(result), minElementsPerThread, threads);
    bool sharesPoints = points.end >= 4 * team;
    parallelFor(team, [&](int thread, int all) {
      Range some = sharesPoints ? shareOf(points.end, thread, all) : points;
      Range part = sharesPoints ? elements : shareOf(elements.end, thread, all);
      for (int64_t at = some.begin; at < some.end; at += SlicePlaces::chunk) {
        auto count = static_cast<int>(
            std::min<int64_t>(SlicePlaces::chunk, some.end - at));
        if (!copyPoints<T>(operands, at, count, part))
          isOutside = true;
      }
    });
    zeroPadding(result, operands[inputs]);
    return isOutside ? 1 : 0;
  }

  /// False if an index lies outside of the data.
  template <typename T>
  bool copyPoints(void *const *operands, int64_t first, int count,
                  Range part) const {
    SlicePlaces::Starts starts;
    if (!places.find(operands[1], first, count, starts))
      return false;
    const auto *data = static_cast<const T *>(operands[0]);
    auto *out = static_cast<T *>(operands[inputs]);
    constexpr int leastCopied = 8;
    places.forStretches(part, [&](int64_t from, int64_t to, int length) {
      if (length >= leastCopied)
        copySlices(data + from, out + to, length, count, starts);
      else
        for (int k = 0; k < length; ++k)
          copyElements(data + from + k, out + to + k, count, starts);
    });
    return true;
  }

  template <typename T>
  static void copySlices(const T *from, T *to, int length, int count,
                         const SlicePlaces::Starts &starts) {
    const size_t bytes = static_cast<size_t>(length) * sizeof(T);
    for (int i = 0; i < count; ++i)
      std::memcpy(to + starts.other[i], from + starts.indexed[i], bytes);
  }

  template <typename T>
  static void copyElements(const T *from, T *to, int count,
                           const SlicePlaces::Starts &starts) {
    if (starts.isContiguous) {
      to += starts.other[0];
      for (int i = 0; i < count; ++i)
        to[i] = from[starts.indexed[i]];
      return;
    }
    for (int i = 0; i < count; ++i)
      to[starts.other[i]] = from[starts.indexed[i]];
  }

  npu_tensor_desc result;
  size_t inputs;
  int threads;
  SlicePlaces places;
};
} // namespace

std::unique_ptr<Kernel> createGatherNdFast(const Problem &problem,
                                           std::string &whyNot) {
  whyNot = whyNotAsStored(problem);
  if (!whyNot.empty())
    return nullptr;
  return std::make_unique<GatherNdFast>(problem);
}

} // namespace npu::kernels
