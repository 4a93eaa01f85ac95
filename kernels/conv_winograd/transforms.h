// SPDX-License-Identifier: Apache-2.0
//
// Winograd's minimal filtering F(m, 3) along one dimension: m results of a
// three-tap filter from m + 2 products, data and weights each brought into the
// m + 2 points first. Twice, over rows and columns, it is F(m x m, 3 x 3).
//
// The points are 0, a, -a, (b, -b,) infinity. For m = 4 the usual a = 1, b = 2
// has five times the rounding error of these: measured on 512 channels, largest
// error by the deviation of the results, (1, 2) 4.2e-5, (1, 1/2) 2.9e-5,
// (5/8, 3/2) 9.1e-6, (3/4, 3/2) 8.4e-6; m = 2 has 2.0e-6, plain sums 1.1e-6.
// Every coefficient of a data or result transform is exact in binary.
#ifndef NPU_KERNELS_CONV_WINOGRAD_TRANSFORMS_H
#define NPU_KERNELS_CONV_WINOGRAD_TRANSFORMS_H

#include "kernels/support/vectors.h"

namespace npu::kernels {

template <int Tile>
struct Winograd;

template <>
struct Winograd<2> {
  static constexpr int points = 4;

  /// Data: 4 elements to 4 points.
  template <typename T>
  static void data(const T *x, T *v) {
    v[0] = x[2] - x[0];
    v[1] = x[2] + x[1];
    v[2] = x[2] - x[1];
    v[3] = x[3] - x[1];
  }
  /// Weights: 3 taps to 4 points. T is of numbers S.
  template <typename T, typename S = T>
  static NPU_INLINE void weight(const T *g, T *u) {
    constexpr S half = 0.5;
    u[0] = -g[0];
    u[1] = (g[0] + g[1] + g[2]) * half;
    u[2] = (g[0] - g[1] + g[2]) * half;
    u[3] = g[2];
  }
  /// The 3 taps back from their points.
  template <typename T>
  static void taps(const T *u, T *g) {
    g[0] = -u[0];
    g[1] = u[1] - u[2];
    g[2] = u[3];
  }
  /// Products at 4 points to 2 results.
  template <typename T>
  static void result(const T *m, T *y) {
    y[0] = m[0] + m[1] + m[2];
    y[1] = m[1] - m[2] + m[3];
  }
};

template <>
struct Winograd<4> {
  static constexpr int points = 6;
  static constexpr float a = 0.75f, b = 1.5f, aa = a * a, bb = b * b;

  /// Data: 6 elements to 6 points.
  template <typename T>
  static void data(const T *x, T *v) {
    v[0] = aa * bb * x[0] - (aa + bb) * x[2] + x[4];
    T even = x[4] - bb * x[2], odd = a * (x[3] - bb * x[1]);
    v[1] = even + odd;
    v[2] = even - odd;
    even = x[4] - aa * x[2];
    odd = b * (x[3] - aa * x[1]);
    v[3] = even + odd;
    v[4] = even - odd;
    v[5] = aa * bb * x[1] - (aa + bb) * x[3] + x[5];
  }
  /// Weights: 3 taps to 6 points. T is of numbers S.
  template <typename T, typename S = T>
  static NPU_INLINE void weight(const T *g, T *u) {
    constexpr S p = aa, q = bb, by0 = 1 / (p * q), byA = 1 / (2 * p * (p - q)),
                byB = 1 / (2 * q * (q - p));
    T atA = g[0] + p * g[2], atB = g[0] + q * g[2];
    u[0] = g[0] * by0;
    u[1] = (atA + a * g[1]) * byA;
    u[2] = (atA - a * g[1]) * byA;
    u[3] = (atB + b * g[1]) * byB;
    u[4] = (atB - b * g[1]) * byB;
    u[5] = g[2];
  }
  /// The 3 taps back from their points.
  template <typename T>
  static void taps(const T *u, T *g) {
    g[0] = u[0] * (aa * bb);
    g[1] = (u[1] - u[2]) * (aa * (aa - bb) / a);
    g[2] = u[5];
  }
  /// Products at 6 points to 4 results.
  template <typename T>
  static void result(const T *m, T *y) {
    T sumA = m[1] + m[2], differenceA = m[1] - m[2];
    T sumB = m[3] + m[4], differenceB = m[3] - m[4];
    y[0] = m[0] + sumA + sumB;
    y[1] = a * differenceA + b * differenceB;
    y[2] = aa * sumA + bb * sumB;
    y[3] = a * aa * differenceA + b * bb * differenceB + m[5];
  }
};

/// Rows, then columns: `step` over 3 x 3 taps, a patch or a tile of points,
/// From x From in, To x To out.
template <int From, int To, typename Step>
void twice(const double *in, double *out, Step step) {
  double half[To][From], column[From], line[To];
  for (int x = 0; x < From; ++x) {
    for (int y = 0; y < From; ++y)
      column[y] = in[y * From + x];
    step(column, line);
    for (int y = 0; y < To; ++y)
      half[y][x] = line[y];
  }
  for (int y = 0; y < To; ++y)
    step(half[y], out + y * To);
}

} // namespace npu::kernels

#endif // NPU_KERNELS_CONV_WINOGRAD_TRANSFORMS_H
