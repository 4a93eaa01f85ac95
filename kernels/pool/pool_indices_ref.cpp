// SPDX-License-Identifier: Apache-2.0

#include "kernels/conv/window.h"
#include "kernels/registry.h"
#include "kernels/support/reference.h"

namespace npu::kernels {

namespace {

/// Where the maximum of each window lies in the data, the first one of equals.
class PoolIndicesReference : public PositionReference {
public:
  explicit PoolIndicesReference(const Problem &p) : PositionReference(p) {
    int spatial = p.inputs[0].rank - 2;
    const npu_pool_attrs &a = p.attrs.pool;
    in = fill3(p.inputs[0].dims + 2, spatial, 1);
    out = fill3(p.outputs[0].dims + 2, spatial, 1);
    kernel = fill3(a.kernel, spatial, 1);
    strides = fill3(a.strides, spatial, 1);
    dilations = fill3(a.dilations, spatial, 1);
    pads = fill3(a.pads_begin, spatial, 0);
  }

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
    int64_t planes = problem.inputs[0].dims[0] * problem.inputs[0].dims[1];
    for (int64_t plane = 0; plane < planes; ++plane)
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
    for (int64_t z = 0; z < kernel.d[0]; ++z)
      for (int64_t y = 0; y < kernel.d[1]; ++y)
        for (int64_t x = 0; x < kernel.d[2]; ++x) {
          const int64_t tap[3] = {z, y, x};
          int64_t at[3];
          bool isInside = true;
          for (int i = 0; i < 3; ++i) {
            at[i] = position.d[i] * strides.d[i] + tap[i] * dilations.d[i] -
                    pads.d[i];
            isInside &= at[i] >= 0 && at[i] < in.d[i];
          }
          const T *v = data + (at[0] * in.d[1] + at[1]) * in.d[2] + at[2];
          if (!isInside || (largest && !(*v > *largest)))
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

  Extents3 in, out, kernel, strides, dilations, pads;
};

} // namespace

std::unique_ptr<Kernel> createPoolIndicesReference(const Problem &problem,
                                                   std::string &) {
  return std::make_unique<PoolIndicesReference>(problem);
}

} // namespace npu::kernels
