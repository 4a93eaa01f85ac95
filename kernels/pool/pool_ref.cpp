// SPDX-License-Identifier: Apache-2.0

#include "kernels/conv/window.h"
#include "kernels/registry.h"
#include "kernels/support/reference.h"

#include <algorithm>
#include <limits>

namespace npu::kernels {

namespace {

class PoolReference : public ArithmeticReference, PoolWindows {
public:
  explicit PoolReference(const Problem &p)
      : ArithmeticReference(p, 1), PoolWindows(p) {}

protected:
  void compute(const float *const *inputs, float *result) const override {
    run(inputs[0], result);
  }
  void compute(const int64_t *const *inputs, int64_t *result) const override {
    run(inputs[0], result);
  }

private:
  template <typename T>
  void run(const T *data, T *result) const {
    for (int64_t plane = 0; plane < planes(problem); ++plane, data += in.size())
      for (int64_t z = 0; z < out.d[0]; ++z)
        for (int64_t y = 0; y < out.d[1]; ++y)
          for (int64_t x = 0; x < out.d[2]; ++x)
            *result++ = window(data, Extents3{{z, y, x}});
  }

  template <typename T>
  T window(const T *data, const Extents3 &position) const {
    Taps taps[3];
    for (int i = 0; i < 3; ++i)
      taps[i] = tapsOf(i, position.d[i]);
    bool isMax = problem.op == NPU_OP_MAX_POOL;
    bool keepsNan = problem.attrs.pool.keep_nan;
    T largest = std::numeric_limits<T>::lowest();
    double sum = 0;
    int64_t count = 0;
    for (int64_t z = taps[0].begin; z < taps[0].end; ++z)
      for (int64_t y = taps[1].begin; y < taps[1].end; ++y)
        for (int64_t x = taps[2].begin; x < taps[2].end; ++x, ++count) {
          int64_t plane = taps[0].first + z * dilations.d[0];
          int64_t row = plane * in.d[1] + taps[1].first + y * dilations.d[1];
          T v = data[row * in.d[2] + taps[2].first + x * dilations.d[2]];
          largest = v > largest || (keepsNan && v != v) ? v : largest;
          sum += static_cast<double>(v);
        }
    if (isMax)
      return largest;
    if (problem.attrs.pool.count_include_pad)
      count = taps[0].padded * taps[1].padded * taps[2].padded;
    return count ? static_cast<T>(sum / static_cast<double>(count)) : T{};
  }
};

} // namespace

std::unique_ptr<Kernel> createPoolReference(const Problem &problem,
                                            std::string &) {
  return std::make_unique<PoolReference>(problem);
}

} // namespace npu::kernels
