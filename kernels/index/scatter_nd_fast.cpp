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

private:
  int scatter(void *const *operands) const override {
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
        if (!joinPoints(operands, at, count, part))
          isOutside = true;
      }
    });
    return isOutside ? 1 : 0;
  }

  /// False if an index lies outside of the data.
  bool joinPoints(void *const *operands, int64_t first, int count,
                  Range part) const {
    SlicePlaces::Starts starts;
    if (!places.find(operands[1], first, count, starts))
      return false;
    void *out = operands[problem.inputs.size()];
    places.forStretches(part, [&](int64_t to, int64_t from, int length) {
      for (int i = 0; i < count; ++i)
        join.stretch(out, starts.indexed[i] + to, operands[2],
                     starts.other[i] + from, length);
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
