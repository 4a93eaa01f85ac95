// SPDX-License-Identifier: Apache-2.0

#include "kernels/registry.h"
#include "kernels/support/reference.h"

#include <algorithm>
#include <cmath>

namespace npu::kernels {

namespace {

class SoftmaxReference : public ArithmeticReference {
public:
  explicit SoftmaxReference(const Problem &p) : ArithmeticReference(p, 1) {}

protected:
  void compute(const float *const *inputs, float *result) const override {
    AxisSplit split(problem.inputs[0], problem.attrs.axis.axis);
    for (int64_t line = 0; split.extent && line < split.lines(); ++line) {
      int64_t first = split.at(line, 0);
      softmax(inputs[0] + first, result + first, split.extent, split.behind);
    }
  }
  void compute(const int64_t *const *, int64_t *) const override {}

private:
  void softmax(const float *from, float *to, int64_t n, int64_t stride) const {
    double largest = from[0], sum = 0;
    for (int64_t i = 1; i < n; ++i)
      largest = std::max<double>(largest, from[i * stride]);
    for (int64_t i = 0; i < n; ++i)
      sum += std::exp(from[i * stride] - largest);
    for (int64_t i = 0; i < n; ++i) {
      double shifted = from[i * stride] - largest;
      to[i * stride] = static_cast<float>(problem.attrs.axis.is_log
                                              ? shifted - std::log(sum)
                                              : std::exp(shifted) / sum);
    }
  }
};

} // namespace

std::unique_ptr<Kernel> createSoftmaxReference(const Problem &problem,
                                               std::string &) {
  return std::make_unique<SoftmaxReference>(problem);
}

} // namespace npu::kernels
