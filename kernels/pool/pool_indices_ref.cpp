// SPDX-License-Identifier: Apache-2.0

#include "kernels/conv/window.h"
#include "kernels/registry.h"
#include "kernels/support/reference.h"

namespace npu::kernels {

namespace {

/// Where the maximum of each window lies in the data, the first one of equals.
class PoolIndicesReference : public PositionReference, PoolWindows {
public:
  explicit PoolIndicesReference(const Problem &p)
      : PositionReference(p), PoolWindows(p) {}

protected:
  void compute(const float *data, int64_t *result) const override {
    run(data, result);
  }
  void compute(const int64_t *data, int64_t *result) const override {
    run(data, result);
  }

private:
  template <typename T>
  void run(const T *data, int64_t *result) const {
    for (int64_t plane = 0; plane < planes(problem); ++plane)
      for (int64_t z = 0; z < out.d[0]; ++z)
        for (int64_t y = 0; y < out.d[1]; ++y)
          for (int64_t x = 0; x < out.d[2]; ++x)
            *result++ = plane * in.size() +
                        place(data + plane * in.size(), Extents3{{z, y, x}});
  }

  template <typename T>
  int64_t place(const T *data, const Extents3 &position) const {
    const T *largest = nullptr;
    int64_t best = 0;
    Taps taps[3];
    for (int i = 0; i < 3; ++i)
      taps[i] = tapsOf(i, position.d[i]);
    for (int64_t z = taps[0].begin; z < taps[0].end; ++z)
      for (int64_t y = taps[1].begin; y < taps[1].end; ++y)
        for (int64_t x = taps[2].begin; x < taps[2].end; ++x) {
          const int64_t tap[3] = {z, y, x};
          int64_t at[3];
          for (int i = 0; i < 3; ++i)
            at[i] = taps[i].first + tap[i] * dilations.d[i];
          const T *v = data + (at[0] * in.d[1] + at[1]) * in.d[2] + at[2];
          if (largest && !(*v > *largest))
            continue;
          largest = v;
          best = number(at);
        }
    return best;
  }

  /// The first spatial dimension is the outermost, or the innermost.
  int64_t number(const int64_t *at) const {
    if (problem.attrs.pool.column_major)
      return at[0] + in.d[0] * (at[1] + in.d[1] * at[2]);
    return (at[0] * in.d[1] + at[1]) * in.d[2] + at[2];
  }
};

} // namespace

std::unique_ptr<Kernel> createPoolIndicesReference(const Problem &problem,
                                                   std::string &) {
  return std::make_unique<PoolIndicesReference>(problem);
}

} // namespace npu::kernels
