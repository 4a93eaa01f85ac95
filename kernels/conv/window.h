// SPDX-License-Identifier: Apache-2.0
//
// Convolution and pooling with the spatial dimensions filled up to three, so
// that one loop nest serves all.
#ifndef NPU_KERNELS_CONV_WINDOW_H
#define NPU_KERNELS_CONV_WINDOW_H

#include "kernels/kernel.h"

namespace npu::kernels {

struct Extents3 {
  int64_t d[3];
  int64_t size() const { return d[0] * d[1] * d[2]; }
};

/// `values[0..spatial)` behind leading `fill`s.
inline Extents3 fill3(const int64_t *values, int spatial, int64_t fill) {
  Extents3 result = {{fill, fill, fill}};
  for (int i = 0; i < spatial; ++i)
    result.d[3 - spatial + i] = values[i];
  return result;
}

/// Output positions [begin, end) of a window tap whose input position is
/// out * stride + shift, inside [0, input).
inline void validRange(int64_t output, int64_t input, int64_t stride,
                       int64_t shift, int64_t &begin, int64_t &end) {
  begin = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
  end = input - 1 - shift < 0 ? 0 : (input - 1 - shift) / stride + 1;
  if (end > output)
    end = output;
}

/// The windows of a convolution (attrs.conv), its weights as input 1.
struct ConvWindows {
  explicit ConvWindows(const Problem &p) {
    const int spatial = p.inputs[0].rank - 2;
    const npu_conv_attrs &a = p.attrs.conv;
    in = fill3(p.inputs[0].dims + 2, spatial, 1);
    out = fill3(p.outputs[0].dims + 2, spatial, 1);
    kernel = fill3(p.inputs[1].dims + 2, spatial, 1);
    strides = fill3(a.strides, spatial, 1);
    dilations = fill3(a.dilations, spatial, 1);
    pads = fill3(a.pads_begin, spatial, 0);
  }
  Extents3 in, out, kernel, strides, dilations, pads;
};

/// The windows of pooling (attrs.pool).
struct PoolWindows {
  explicit PoolWindows(const Problem &p) {
    int spatial = p.inputs[0].rank - 2;
    const npu_pool_attrs &a = p.attrs.pool;
    in = fill3(p.inputs[0].dims + 2, spatial, 1);
    out = fill3(p.outputs[0].dims + 2, spatial, 1);
    kernel = fill3(a.kernel, spatial, 1);
    strides = fill3(a.strides, spatial, 1);
    dilations = fill3(a.dilations, spatial, 1);
    padsBegin = fill3(a.pads_begin, spatial, 0);
    padsEnd = fill3(a.pads_end, spatial, 0);
  }
  /// Planes: batches times channels.
  static int64_t planes(const Problem &p) {
    return p.inputs[0].dims[0] * p.inputs[0].dims[1];
  }

  /// Taps of dimension i for one output position: input positions
  /// first + tap * dilation for taps in [begin, end); `padded` counts those
  /// that lie on the input or its padding.
  struct Taps {
    int64_t first, begin, end, padded;
  };
  Taps tapsOf(int i, int64_t position) const {
    Taps taps = {position * strides.d[i] - padsBegin.d[i], 0, 0, 0};
    int64_t none = 0;
    validRange(kernel.d[i], in.d[i], dilations.d[i], taps.first, taps.begin,
               taps.end);
    validRange(kernel.d[i], in.d[i] + padsEnd.d[i], dilations.d[i], taps.first,
               none, taps.padded);
    return taps;
  }

  Extents3 in, out, kernel, strides, dilations, padsBegin, padsEnd;
};

} // namespace npu::kernels

#endif // NPU_KERNELS_CONV_WINDOW_H
