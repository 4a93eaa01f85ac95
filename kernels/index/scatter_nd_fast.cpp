// SPDX-License-Identifier: Apache-2.0

#include "kernels/index/scatter.h"
#include "kernels/index/slice_places.h"

#include <atomic>

namespace npu::kernels {

constexpr int64_t minElementsPerThread = 8192;
/// Elements of a slice that a thread has at least, so that finding where slices
/// lie, which each thread does for itself, is little beside.
constexpr int64_t minSliceOfThread = 16;

namespace {
/// Threads share slices and not points, of which several may be at one place.
class ScatterNdFast : public ScatterFast {
public:
  explicit ScatterNdFast(const Problem &p)
      : ScatterFast(p), places(p, p.outputs[0], p.inputs[2], false) {}

  std::string implementation() const override { return "native:scatter_nd"; }

  int run(void *const *operands, void *) const override {
    return runOn(operands,
                 [&](auto how) { return scatter<decltype(how)>(operands); });
  }

private:
  template <typename How>
  int scatter(void *const *operands) const {
    std::atomic<bool> isOutside{false};
    const int64_t elements = places.sliceElements();
    int team = teamFor(places.points() * elements, minElementsPerThread,
                       problem.threads);
    if (elements < team * minSliceOfThread)
      team = 1;
    parallelFor(team, [&](int thread, int all) {
      Range part = shareOf(elements, thread, all);
      for (int64_t at = 0; at < places.points(); at += SlicePlaces::chunk) {
        auto count = static_cast<int>(
            std::min<int64_t>(SlicePlaces::chunk, places.points() - at));
        if (!joinPoints<How>(operands, at, count, part))
          isOutside = true;
      }
    });
    return isOutside ? 1 : 0;
  }

  /// False if an index lies outside of the data.
  template <typename How>
  bool joinPoints(void *const *operands, int64_t first, int count,
                  Range part) const {
    using T = typename How::Type;
    SlicePlaces::Starts starts;
    if (!places.find(operands[1], first, count, starts))
      return false;
    const auto *updates = static_cast<const T *>(operands[2]);
    auto *out = static_cast<T *>(operands[problem.inputs.size()]);
    places.forStretches(part, [&](int64_t to, int64_t from, int length) {
      for (int i = 0; i < count; ++i) {
        const T *update = updates + starts.other[i] + from;
        T *element = out + starts.indexed[i] + to;
        for (int k = 0; k < length; ++k)
          element[k] = How::join(element[k], update[k]);
      }
    });
    return true;
  }

  SlicePlaces places;
};
} // namespace

std::unique_ptr<Kernel> createScatterNdFast(const Problem &problem,
                                            std::string &whyNot) {
  whyNot = whyNotScatter(problem);
  if (!whyNot.empty())
    return nullptr;
  return std::make_unique<ScatterNdFast>(problem);
}

} // namespace npu::kernels
