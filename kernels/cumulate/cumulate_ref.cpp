// SPDX-License-Identifier: Apache-2.0

#include "kernels/registry.h"
#include "kernels/support/reference.h"

#include <type_traits>

namespace npu::kernels {

namespace {

/// Sums or products of all elements up to each one along a dimension.
class CumulateReference : public ArithmeticReference {
public:
  explicit CumulateReference(const Problem &p)
      : ArithmeticReference(p, 1), split(p.inputs[0], p.attrs.cumulate.axis) {}

protected:
  void compute(const float *const *inputs, float *result) const override {
    run(inputs[0], result);
  }
  void compute(const int64_t *const *inputs, int64_t *result) const override {
    run(inputs[0], result);
  }

private:
  /// As the data's type keeps it, also where instructions follow.
  template <typename T, typename Sum>
  T elementOf(Sum sum) const {
    if constexpr (std::is_same_v<T, float>)
      return static_cast<float>(sum);
    else
      return wrapTo(problem.inputs[0].dtype, static_cast<int64_t>(sum));
  }

  template <typename T>
  void run(const T *data, T *result) const {
    // Integers wrap; unsigned arithmetic has no overflow.
    using Sum = std::conditional_t<std::is_same_v<T, float>, double, uint64_t>;
    const npu_cumulate_attrs &a = problem.attrs.cumulate;
    bool isProduct = a.kind == NPU_CUMULATE_PROD;
    // What changes no element: -0.0 is itself after -0.0, and 0 after 0. Ahead
    // of an exclusive sum's first element is nothing, which is 0.
    Sum first = isProduct ? Sum{1} : a.exclusive ? Sum{0} : -Sum{0};
    for (int64_t line = 0; line < split.lines(); ++line) {
      Sum sum = first;
      for (int64_t k = 0; k < split.extent; ++k) {
        int64_t place = split.at(line, a.reverse ? split.extent - 1 - k : k);
        T before = elementOf<T>(sum);
        auto value = static_cast<Sum>(data[place]);
        sum = isProduct ? sum * value : sum + value;
        result[place] = a.exclusive ? before : elementOf<T>(sum);
      }
    }
  }

  AxisSplit split;
};

} // namespace

std::unique_ptr<Kernel> createCumulateReference(const Problem &problem,
                                                std::string &) {
  return std::make_unique<CumulateReference>(problem);
}

} // namespace npu::kernels
