// SPDX-License-Identifier: Apache-2.0
//
// Convolution and pooling with the spatial dimensions filled up to three, so
// that one loop nest serves all.
#ifndef NPU_KERNELS_CONV_WINDOW_H
#define NPU_KERNELS_CONV_WINDOW_H

#include "runtime/format/program_format.h"

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

} // namespace npu::kernels

#endif // NPU_KERNELS_CONV_WINDOW_H
