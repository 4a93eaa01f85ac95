// SPDX-License-Identifier: Apache-2.0

#include "kernels/conv/window.h"
#include "kernels/registry.h"
#include "kernels/support/reference.h"

#include <algorithm>
#include <type_traits>

namespace npu::kernels {

namespace {

template <typename T>
using Accumulator = std::conditional_t<std::is_same_v<T, float>, double, T>;

/// The extents that both convolutions loop over.
struct ConvShape {
  int64_t batch, inputs, outputs, groups;
  Extents3 in, out, kernel, strides, dilations, pads;

  explicit ConvShape(const Problem &p)
      : ConvShape(p, p.inputs[0], p.inputs[1], p.outputs[0]) {}

  ConvShape(const Problem &p, const npu_tensor_desc &x,
            const npu_tensor_desc &w, const npu_tensor_desc &y) {
    int spatial = x.rank - 2;
    batch = x.dims[0];
    inputs = x.dims[1];
    outputs = y.dims[1];
    groups = p.attrs.conv.groups;
    in = fill3(x.dims + 2, spatial, 1);
    out = fill3(y.dims + 2, spatial, 1);
    kernel = fill3(w.dims + 2, spatial, 1);
    strides = fill3(p.attrs.conv.strides, spatial, 1);
    dilations = fill3(p.attrs.conv.dilations, spatial, 1);
    pads = fill3(p.attrs.conv.pads_begin, spatial, 0);
  }

  /// Calls body(tap, input position of output position 0) for each tap.
  template <typename Body>
  void forTaps(Body body) const {
    int64_t tap = 0;
    for (int64_t z = 0; z < kernel.d[0]; ++z)
      for (int64_t y = 0; y < kernel.d[1]; ++y)
        for (int64_t x = 0; x < kernel.d[2]; ++x, ++tap)
          body(tap, Extents3{{z * dilations.d[0] - pads.d[0],
                              y * dilations.d[1] - pads.d[1],
                              x * dilations.d[2] - pads.d[2]}});
  }

  /// Calls body(wide, narrow) for each pair of positions that one tap links,
  /// wide = narrow * stride + shift. A convolution's input is the wide side, a
  /// transposed convolution's output is.
  template <typename Body>
  void forPairs(const Extents3 &wide, const Extents3 &narrow,
                const Extents3 &shift, Body body) const {
    int64_t begin[3], end[3];
    for (int i = 0; i < 3; ++i)
      validRange(narrow.d[i], wide.d[i], strides.d[i], shift.d[i], begin[i],
                 end[i]);
    for (int64_t z = begin[0]; z < end[0]; ++z)
      for (int64_t y = begin[1]; y < end[1]; ++y) {
        int64_t plane = z * strides.d[0] + shift.d[0];
        int64_t row = plane * wide.d[1] + y * strides.d[1] + shift.d[1];
        int64_t wideRow = row * wide.d[2] + shift.d[2];
        int64_t narrowRow = (z * narrow.d[1] + y) * narrow.d[2];
        for (int64_t x = begin[2]; x < end[2]; ++x)
          body(wideRow + x * strides.d[2], narrowRow + x);
      }
  }
};

/// Both kinds: each output plane is the sum over its input planes and taps.
class ConvReference : public ArithmeticReference {
public:
  explicit ConvReference(const Problem &p)
      : ArithmeticReference(p, p.attrs.conv.has_bias ? 3 : 2), shape(p),
        isTransposed(p.op == NPU_OP_CONV_TRANSPOSE) {}

protected:
  void compute(const float *const *inputs, float *result) const override {
    run(inputs, result);
  }
  void compute(const int64_t *const *inputs, int64_t *result) const override {
    run(inputs, result);
  }

private:
  template <typename T>
  void run(const T *const *inputs, T *result) const {
    std::vector<Accumulator<T>> plane(static_cast<size_t>(shape.out.size()));
    for (int64_t n = 0; n < shape.batch; ++n)
      for (int64_t o = 0; o < shape.outputs; ++o) {
        T bias = problem.attrs.conv.has_bias ? inputs[2][o] : T{};
        std::fill(plane.begin(), plane.end(),
                  static_cast<Accumulator<T>>(bias));
        addPlanes(inputs[0], inputs[1], n, o, plane.data());
        std::copy(plane.begin(), plane.end(),
                  result + (n * shape.outputs + o) * shape.out.size());
      }
  }

  /// Which filter of the weight links result o with input c of its group.
  int64_t filter(int64_t o, int64_t c, int64_t group) const {
    int64_t ins = shape.inputs / shape.groups;
    int64_t outs = shape.outputs / shape.groups;
    return problem.attrs.conv.weight_of_conv
               ? (group * ins + c) * outs + o % outs
               : o * ins + c;
  }

  template <typename T>
  void addPlanes(const T *data, const T *weights, int64_t n, int64_t o,
                 Accumulator<T> *plane) const {
    int64_t perGroup = shape.inputs / shape.groups;
    auto zero = static_cast<T>(problem.attrs.conv.data_zero_point);
    int64_t group = o / (shape.outputs / shape.groups);
    for (int64_t c = 0; c < perGroup; ++c) {
      const T *source =
          data + (n * shape.inputs + group * perGroup + c) * shape.in.size();
      const T *taps = weights + filter(o, c, group) * shape.kernel.size();
      shape.forTaps([&](int64_t tap, const Extents3 &shift) {
        auto weight = static_cast<Accumulator<T>>(taps[tap]);
        if (isTransposed)
          shape.forPairs(shape.out, shape.in, shift,
                         [&](int64_t to, int64_t from) {
                           plane[to] += weight * (source[from] - zero);
                         });
        else
          shape.forPairs(shape.in, shape.out, shift,
                         [&](int64_t from, int64_t to) {
                           plane[to] += weight * (source[from] - zero);
                         });
      });
    }
  }

  ConvShape shape;
  bool isTransposed;
};

/// The gradient by the weight: each tap is the sum over all pairs of places
/// that it links.
class ConvBpwReference : public ArithmeticReference {
public:
  explicit ConvBpwReference(const Problem &p)
      : ArithmeticReference(p, 2),
        shape(p, p.inputs[0], p.outputs[0], p.inputs[1]) {}

protected:
  void compute(const float *const *inputs, float *result) const override {
    run(inputs, result);
  }
  void compute(const int64_t *const *inputs, int64_t *result) const override {
    run(inputs, result);
  }

private:
  template <typename T>
  void run(const T *const *inputs, T *result) const {
    int64_t perGroup = shape.inputs / shape.groups;
    for (int64_t o = 0; o < shape.outputs; ++o)
      for (int64_t c = 0; c < perGroup; ++c) {
        int64_t group = o / (shape.outputs / shape.groups);
        T *taps = result + (o * perGroup + c) * shape.kernel.size();
        shape.forTaps([&](int64_t tap, const Extents3 &shift) {
          taps[tap] = static_cast<T>(
              sumOf(inputs[0], inputs[1], group * perGroup + c, o, shift));
        });
      }
  }

  template <typename T>
  Accumulator<T> sumOf(const T *data, const T *gradient, int64_t c, int64_t o,
                       const Extents3 &shift) const {
    Accumulator<T> sum{};
    for (int64_t n = 0; n < shape.batch; ++n) {
      const T *wide = data + (n * shape.inputs + c) * shape.in.size();
      const T *narrow = gradient + (n * shape.outputs + o) * shape.out.size();
      shape.forPairs(shape.in, shape.out, shift, [&](int64_t from, int64_t to) {
        sum += static_cast<Accumulator<T>>(wide[from]) * narrow[to];
      });
    }
    return sum;
  }

  ConvShape shape;
};

} // namespace

std::unique_ptr<Kernel> createConvBpwReference(const Problem &problem,
                                               std::string &) {
  return std::make_unique<ConvBpwReference>(problem);
}

std::unique_ptr<Kernel> createConvReference(const Problem &problem,
                                            std::string &) {
  return std::make_unique<ConvReference>(problem);
}

std::unique_ptr<Kernel> createConvTransposeReference(const Problem &problem,
                                                     std::string &) {
  return std::make_unique<ConvReference>(problem);
}

} // namespace npu::kernels
