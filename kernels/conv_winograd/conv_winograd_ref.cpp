// SPDX-License-Identifier: Apache-2.0

#include "kernels/conv_winograd/transforms.h"
#include "kernels/parallel.h"
#include "kernels/registry.h"
#include "kernels/support/reference.h"

#include <algorithm>
#include <cmath>

namespace npu::kernels {

namespace {

template <int Tile>
class WinogradWeightReference : public ArithmeticReference {
public:
  explicit WinogradWeightReference(const Problem &p)
      : ArithmeticReference(p, 1) {}

protected:
  void compute(const float *const *inputs, float *result) const override {
    constexpr int points = Winograd<Tile>::points;
    int64_t filters = problem.inputs[0].dims[0] * problem.inputs[0].dims[1];
    for (int64_t f = 0; f < filters; ++f) {
      double taps[9], at[points * points];
      std::copy(inputs[0] + f * 9, inputs[0] + f * 9 + 9, taps);
      twice<3, points>(taps, at, Winograd<Tile>::template weight<double>);
      for (int i = 0; i < points * points; ++i)
        result[f * points * points + i] = static_cast<float>(at[i]);
    }
  }
  void compute(const int64_t *const *, int64_t *) const override {}
};

template <int Tile>
class ConvWinogradReference : public ArithmeticReference {
public:
  explicit ConvWinogradReference(const Problem &p)
      : ArithmeticReference(p, p.attrs.winograd.has_bias ? 3 : 2),
        x(problem.inputs[0]), y(problem.outputs[0]) {}

  bool losesNan() const override { return true; }

protected:
  void compute(const float *const *inputs, float *result) const override {
    bool beyond = false;
    for (int64_t n = 0; n < y.dims[0]; ++n)
      for (int64_t row = 0; row < y.dims[2]; row += Tile)
        for (int64_t column = 0; column < y.dims[3]; column += Tile)
          beyond |= oneTile(inputs, n, row, column, result);
    if (beyond)
      noteInvalid();
  }
  void compute(const int64_t *const *, int64_t *) const override {}

private:
  static constexpr int points = Winograd<Tile>::points;
  static constexpr int area = points * points;

  /// Whether something in it is not finite, which spreads over the tile.
  bool oneTile(const float *const *inputs, int64_t n, int64_t row,
               int64_t column, float *result) const {
    bool beyond = false;
    int64_t channels = x.dims[1];
    std::vector<double> data(static_cast<size_t>(channels * area));
    for (int64_t c = 0; c < channels; ++c) {
      double patch[area];
      readPatch(inputs[0] + (n * channels + c) * x.dims[2] * x.dims[3], row,
                column, patch);
      twice<points, points>(patch, &data[static_cast<size_t>(c * area)],
                            Winograd<Tile>::template data<double>);
    }
    for (int64_t o = 0; o < y.dims[1]; ++o) {
      double products[area] = {}, out[Tile * Tile];
      for (int64_t i = 0; i < channels * area; ++i)
        products[i % area] +=
            data[static_cast<size_t>(i)] *
            static_cast<double>(inputs[1][o * channels * area + i]);
      twice<points, Tile>(products, out,
                          Winograd<Tile>::template result<double>);
      double bias = problem.attrs.winograd.has_bias
                        ? static_cast<double>(inputs[2][o])
                        : 0.0;
      float *plane = result + (n * y.dims[1] + o) * y.dims[2] * y.dims[3];
      for (int64_t i = row; i < std::min(row + Tile, y.dims[2]); ++i)
        for (int64_t j = column; j < std::min(column + Tile, y.dims[3]); ++j)
          plane[i * y.dims[3] + j] =
              static_cast<float>(out[(i - row) * Tile + (j - column)] + bias);
      beyond |= !std::all_of(products, products + area,
                             [](double sum) { return std::isfinite(sum); });
    }
    return beyond;
  }

  /// The elements that a tile's results depend on; padding is zero.
  void readPatch(const float *plane, int64_t row, int64_t column,
                 double *patch) const {
    for (int i = 0; i < area; ++i) {
      int64_t r = row + i / points - problem.attrs.winograd.pads_begin[0];
      int64_t c = column + i % points - problem.attrs.winograd.pads_begin[1];
      bool isInside = r >= 0 && r < x.dims[2] && c >= 0 && c < x.dims[3];
      patch[i] = isInside ? static_cast<double>(plane[r * x.dims[3] + c]) : 0.0;
    }
  }

  const npu_tensor_desc &x, &y;
};

} // namespace

std::unique_ptr<Kernel> createConvWinogradReference(const Problem &problem,
                                                    std::string &) {
  if (problem.attrs.winograd.tile == 2)
    return std::make_unique<ConvWinogradReference<2>>(problem);
  return std::make_unique<ConvWinogradReference<4>>(problem);
}

std::unique_ptr<Kernel> createWinogradWeightReference(const Problem &problem,
                                                      std::string &) {
  if (problem.attrs.winograd.tile == 2)
    return std::make_unique<WinogradWeightReference<2>>(problem);
  return std::make_unique<WinogradWeightReference<4>>(problem);
}

} // namespace npu::kernels
