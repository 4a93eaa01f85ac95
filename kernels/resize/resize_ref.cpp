// SPDX-License-Identifier: Apache-2.0

#include "kernels/registry.h"
#include "kernels/resize/resize.h"
#include "kernels/support/reference.h"

#include <algorithm>

namespace npu::kernels {

namespace {
/// Linear and cubic: one dimension after the other, in double precision.
class ResizeReference : public ArithmeticReference {
public:
  explicit ResizeReference(const Problem &p) : ArithmeticReference(p, 1) {}

protected:
  void compute(const float *const *inputs, float *result) const override {
    const npu_tensor_desc &in = problem.inputs[0], &out = problem.outputs[0];
    std::vector<double> data(inputs[0], inputs[0] + elementCount(in));
    int64_t inner = elementCount(in), outer = 1;
    for (int d = 0; d < out.rank; ++d) {
      inner /= std::max<int64_t>(in.dims[d], 1);
      Taps taps =
          interpolationTaps(problem.attrs.resize, d, in.dims[d], out.dims[d]);
      data = resizeOne(data, taps, outer, in.dims[d], out.dims[d], inner);
      outer *= out.dims[d];
    }
    std::copy(data.begin(), data.end(), result);
  }
  void compute(const int64_t *const *, int64_t *) const override {}

private:
  static std::vector<double> resizeOne(const std::vector<double> &data,
                                       const Taps &taps, int64_t outer,
                                       int64_t from, int64_t to,
                                       int64_t inner) {
    std::vector<double> result(static_cast<size_t>(outer * to * inner));
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < to * taps.tapCount; ++i) {
        const Tap &tap = taps.taps[static_cast<size_t>(i)];
        const double *source =
            &data[static_cast<size_t>((o * from + tap.index) * inner)];
        double *target =
            &result[static_cast<size_t>((o * to + i / taps.tapCount) * inner)];
        for (int64_t k = 0; k < inner; ++k)
          target[k] += static_cast<double>(tap.weight) * source[k];
      }
    return result;
  }
};
} // namespace

std::unique_ptr<Kernel> createResizeReference(const Problem &problem,
                                              std::string &whyNot) {
  if (problem.attrs.resize.mode == NPU_RESIZE_NEAREST)
    return createPiecesReference(problem, whyNot);
  return std::make_unique<ResizeReference>(problem);
}

} // namespace npu::kernels
