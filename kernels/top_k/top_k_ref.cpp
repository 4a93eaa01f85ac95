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
  explicit TopKReference(const Problem &p)
      : PositionReference(p), from(p.inputs[0], p.attrs.top_k.axis),
        to(p.outputs[0], p.attrs.top_k.axis) {}

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
    std::vector<int64_t> order(static_cast<size_t>(from.extent));
    for (int64_t line = 0; line < from.lines(); ++line) {
      auto isBetter = [&](int64_t a, int64_t b) {
        T first = data[from.at(line, a)], second = data[from.at(line, b)];
        if (isLarger(first, second) != isLarger(second, first))
          return isLarger(first, second) == isLargest;
        return a < b;
      };
      std::iota(order.begin(), order.end(), int64_t{0});
      std::partial_sort(order.begin(), order.begin() + to.extent, order.end(),
                        isBetter);
      for (int64_t k = 0; k < to.extent; ++k)
        result[to.at(line, k)] = order[static_cast<size_t>(k)];
    }
  }

  AxisSplit from, to;
};

} // namespace

std::unique_ptr<Kernel> createTopKReference(const Problem &problem,
                                            std::string &) {
  return std::make_unique<TopKReference>(problem);
}

} // namespace npu::kernels
