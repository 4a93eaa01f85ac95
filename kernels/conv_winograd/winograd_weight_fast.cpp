// SPDX-License-Identifier: Apache-2.0
//
// Winograd's weights as they are made when a program is loaded: f32, points by
// points, many channels at a time. The same bits as the reference's: in double,
// each step rounded by itself.

#include "kernels/conv_winograd/transforms.h"
#include "kernels/parallel.h"
#include "kernels/registry.h"
#include "kernels/support/convert.h"
#include "kernels/support/vectors.h"
#include "kernels/tensor.h"

#include <algorithm>

// Sanitisers and builds without optimisation vectorise nothing; only slower.
#pragma clang diagnostic ignored "-Wpass-failed"

namespace npu::kernels {

/// Channels taken at once: what lies between rows and columns of a transform
/// stays in the first-level cache.
constexpr int64_t chunk = 128;

/// `taps`: 9 of each channel. Point p of channel c goes to out[p * stride + c].
template <int Tile>
static NPU_INLINE void tapsToPointsOf(const float *taps, int64_t channels,
                                      float *out, int64_t stride) {
  constexpr int side = Winograd<Tile>::points;
  double half[side][3][chunk]; // [point of the column][column]
  for (int column = 0; column < 3; ++column)
#pragma clang loop vectorize(assume_safety)
    for (int64_t c = 0; c < channels; ++c) {
      double in[3], at[side];
      for (int i = 0; i < 3; ++i)
        in[i] = static_cast<double>(taps[c * 9 + i * 3 + column]);
      Winograd<Tile>::weight(in, at);
      for (int i = 0; i < side; ++i)
        half[i][column][c] = at[i];
    }
  for (int row = 0; row < side; ++row) {
    float *to = out + row * side * stride;
#pragma clang loop vectorize(assume_safety)
    for (int64_t c = 0; c < channels; ++c) {
      double in[3], at[side];
      for (int i = 0; i < 3; ++i)
        in[i] = half[row][i][c];
      Winograd<Tile>::weight(in, at);
      for (int i = 0; i < side; ++i)
        to[i * stride + c] = static_cast<float>(at[i]);
    }
  }
}

static NPU_CLONES(void, tapsToPoints2,
                  (const float *taps, int64_t channels, float *out,
                   int64_t stride),
                  (taps, channels, out, stride)) {
  tapsToPointsOf<2>(taps, channels, out, stride);
}
static NPU_CLONES(void, tapsToPoints4,
                  (const float *taps, int64_t channels, float *out,
                   int64_t stride),
                  (taps, channels, out, stride)) {
  tapsToPointsOf<4>(taps, channels, out, stride);
}

namespace {

class WinogradWeight : public Kernel {
public:
  explicit WinogradWeight(const Problem &p)
      : from(p.inputs[0].dtype), filters(p.inputs[0].dims[0]),
        channels(p.inputs[0].dims[1]), tile(p.attrs.winograd.tile),
        threads(p.threads) {}

  std::string implementation() const override { return "native:points"; }

  int run(void *const *operands, void *) const override {
    const int64_t stride = filters * channels;
    auto *out = static_cast<float *>(operands[1]);
    parallelFor(threads, [&](int thread, int team) {
      Range part = shareOf(filters, thread, team);
      for (int64_t c = part.begin * channels; c < part.end * channels;
           c += chunk) {
        const int64_t n = std::min(chunk, part.end * channels - c);
        float wide[chunk * 9];
        (tile == 2 ? tapsToPoints2 : tapsToPoints4)(
            tapsAt(operands[0], c, n, wide), n, out + c, stride);
      }
    });
    return 0;
  }

private:
  const float *tapsAt(const void *taps, int64_t first, int64_t count,
                      float *wide) const {
    if (from == NPU_F32)
      return static_cast<const float *>(taps) + first * 9;
    widen(from, static_cast<const uint16_t *>(taps) + first * 9, wide,
          count * 9);
    return wide;
  }

  int32_t from;
  int64_t filters, channels, tile;
  int threads;
};

} // namespace

static bool isStoredBy(const npu_tensor_desc &tensor,
                       const int8_t (&order)[4]) {
  npu_tensor_desc wanted = tensor;
  wanted.block_count = 0;
  std::copy(order, order + 4, wanted.order);
  return sameStorage(tensor, wanted);
}

std::unique_ptr<Kernel> createWinogradWeightFast(const Problem &problem,
                                                 std::string &whyNot) {
  if (problem.outputs[0].dtype == NPU_F32 && problem.instrs.empty() &&
      isStoredBy(problem.inputs[0], {0, 1, 2, 3}) &&
      isStoredBy(problem.outputs[0], {2, 3, 0, 1}))
    return std::make_unique<WinogradWeight>(problem);
  whyNot = "not f32, points by points";
  return nullptr;
}

} // namespace npu::kernels
