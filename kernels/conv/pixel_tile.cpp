// SPDX-License-Identifier: Apache-2.0

#include "kernels/conv/pixel_tile.h"

#include "kernels/conv/pixel_sums.h"

namespace npu::kernels {

using namespace pixels;

namespace {
struct Floats {
  using Element = float;

  static NPU_INLINE NPU_WIDE_ONLY Vector load(const float *from) {
    return pixels::load(from);
  }

  static NPU_INLINE NPU_WIDE_ONLY Vector loadSome(const float *from,
                                                  __mmask16 there) {
    return (Vector)_mm512_maskz_loadu_ps(there, from);
  }

  /// Of all lanes and pixels, nothing but bounds on them.
  static constexpr bool storesPlain = true;
  static NPU_INLINE NPU_WIDE_ONLY void storePlain(const PixelTile &t, int64_t v,
                                                  const Sums &sums) {
#pragma clang loop unroll(full)
    for (int64_t r = 0; r < pixelRows; ++r)
#pragma clang loop unroll(full)
      for (int64_t p = 0; p < tilePixels; ++p)
        _mm512_storeu_ps(static_cast<float *>(t.results[r]) + p * t.step +
                             v * lanes,
                         (__m512)between(sums.of[r][p], t.least, t.most));
  }

  static NPU_WIDE_ONLY void store(const PixelTile &t, int64_t v, unsigned there,
                                  const Sums &sums) {
    storeFloats(t, v, there, sums);
  }
};
} // namespace

const PixelWindow *findPixelWindow(int64_t window, int64_t stride) {
  return findWindow<Floats>(window, stride);
}

} // namespace npu::kernels
