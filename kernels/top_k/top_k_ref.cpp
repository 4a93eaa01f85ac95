// SPDX-License-Identifier: Apache-2.0

#include "kernels/registry.h"
#include "kernels/support/reference.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace npu::kernels {

namespace {

/// Positions along one dimension of its largest (or smallest) elements, best
/// first; of equals the first one.
class TopKReference : public PositionReference {
public:
  explicit TopKReference(const Problem &p) : PositionReference(p) {
    const npu_tensor_desc &x = p.inputs[0];
    auto axis = static_cast<int>(p.attrs.top_k.axis);
    extent = x.dims[axis];
    count = p.outputs[0].dims[axis];
    for (int d = 0; d < x.rank; ++d)
      (d < axis ? before : behind) *= d == axis ? 1 : x.dims[d];
  }

protected:
  void compute(const float *data, int64_t *result) const override {
    run(data, result);
  }
  void compute(const int64_t *data, int64_t *result) const override {
    run(data, result);
  }

private:
  /// A NaN is larger than every number, so that the order is total.
  template <typename T>
  static bool isLarger(T a, T b) {
    if constexpr (std::is_same_v<T, float>)
      if (std::isnan(a) || std::isnan(b))
        return std::isnan(a) && !std::isnan(b);
    return a > b;
  }

  template <typename T>
  void run(const T *data, int64_t *result) const {
    bool isLargest = problem.attrs.top_k.largest != 0;
    std::vector<int64_t> order(static_cast<size_t>(extent));
    for (int64_t o = 0; o < before; ++o)
      for (int64_t i = 0; i < behind; ++i) {
        const T *line = data + o * extent * behind + i;
        auto isBetter = [&](int64_t a, int64_t b) {
          T first = line[a * behind], second = line[b * behind];
          if (isLarger(first, second) != isLarger(second, first))
            return isLarger(first, second) == isLargest;
          return a < b;
        };
        std::iota(order.begin(), order.end(), int64_t{0});
        std::partial_sort(order.begin(), order.begin() + count, order.end(),
                          isBetter);
        for (int64_t k = 0; k < count; ++k)
          result[(o * count + k) * behind + i] = order[static_cast<size_t>(k)];
      }
  }

  int64_t extent, count, before = 1, behind = 1;
};

} // namespace

std::unique_ptr<Kernel> createTopKReference(const Problem &problem,
                                            std::string &) {
  return std::make_unique<TopKReference>(problem);
}

} // namespace npu::kernels
