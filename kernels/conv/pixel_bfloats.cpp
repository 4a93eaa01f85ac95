// SPDX-License-Identifier: Apache-2.0
//
// Tiles of pixels of bf16: data is widened as it is loaded, results are rounded
// as they are stored.

#include "kernels/conv/pixel_sums.h"
#include "kernels/conv/pixel_tile.h"

namespace npu::kernels {

using namespace pixels;

namespace {
struct Bfloats {
  using Element = uint16_t; // the upper half of a float

  static NPU_INLINE NPU_WIDE_ONLY Vector widened(__m256i halves) {
    return (Vector)_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16);
  }

  static NPU_INLINE NPU_WIDE_ONLY Vector load(const uint16_t *from) {
    return widened(_mm256_loadu_epi16(from));
  }

  static NPU_INLINE NPU_WIDE_ONLY Vector loadSome(const uint16_t *from,
                                                  __mmask16 there) {
    return widened(_mm256_maskz_loadu_epi16(there, from));
  }

  static constexpr bool storesPlain = false;

  /// To the nearest, halves to even.
  static __attribute__((target("arch=x86-64-v4,avx512bf16"))) void
  store(const PixelTile &t, int64_t v, unsigned there, const Sums &sums) {
    if (t.isStaged)
      return storeFloats(t, v, there, sums);
    for (int64_t r = 0; r < pixelRows && t.results[r]; ++r) {
      uint16_t *to = static_cast<uint16_t *>(t.results[r]) + v * lanes;
      for (int64_t p = 0; p < t.pixels; ++p, to += t.step) {
        const __m256bh value =
            _mm512_cvtneps_pbh((__m512)ended(t, v, sums.of[r][p]));
        _mm256_mask_storeu_epi16(to, static_cast<__mmask16>(there),
                                 (__m256i)value);
      }
    }
  }
};
} // namespace

const PixelWindow *findBfloatWindow(int64_t window, int64_t stride) {
  return processor().hasBfloats ? findWindow<Bfloats>(window, stride) : nullptr;
}

} // namespace npu::kernels
