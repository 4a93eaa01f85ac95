// SPDX-License-Identifier: Apache-2.0
//
// Convolution of signals: one spatial dimension, few channels, channels last,
// long windows. oneDNN has a product by im2col for it, which writes each number
// as often as windows read it. Here a stretch of the signal is copied with its
// padding, and the window of each result is one run of it.

#include "kernels/conv/window.h"
#include "kernels/packed.h"
#include "kernels/parallel.h"
#include "kernels/registry.h"
#include "kernels/support/interpreter.h"
#include "kernels/support/vectors.h"
#include "kernels/tensor.h"

#include <algorithm>

namespace npu::kernels {

/// oneDNN's kernels for images take shorter windows, and more channels, and are
/// faster there (3 to 80 % on windows of 3 to 48).
constexpr int64_t mostChannels = 4, shortestWindow = 57;
/// Places of the result that are made from one copy of the signal.
constexpr int64_t stretchPlaces = 48;
/// Places whose sums are in registers, and vectors of channels of each.
constexpr int64_t placesAtOnce = 6, vectorsAtOnce = 2;
constexpr int64_t channelsAtOnce = vectorsAtOnce * lanes;
constexpr int64_t minPlacesPerThread = 2 * stretchPlaces;

namespace {
/// The windows of some places, `step` apart, and weights of some channels.
struct Windows {
  const float *signal, *weights, *bias;
  int64_t step, length;
};

/// `Places` rows of channelsAtOnce sums.
template <int64_t Places>
NPU_INLINE void addWindows(const Windows &w, float *sums) {
  Vector sum[Places][vectorsAtOnce];
  for (int64_t p = 0; p < Places; ++p)
    for (int64_t v = 0; v < vectorsAtOnce; ++v)
      sum[p][v] = loadVector(w.bias + v * lanes);
  for (int64_t k = 0; k < w.length; ++k) {
    const float *weights = w.weights + k * channelsAtOnce;
#pragma clang loop unroll(full)
    for (int64_t p = 0; p < Places; ++p)
#pragma clang loop unroll(full)
      for (int64_t v = 0; v < vectorsAtOnce; ++v)
        sum[p][v] += w.signal[p * w.step + k] * loadVector(weights + v * lanes);
  }
  std::memcpy(sums, sum, sizeof(sum));
}
} // namespace

/// At most placesAtOnce places.
static NPU_WIDE_CLONES(void, addSomeWindows,
                       (Windows windows, int64_t places, float *sums),
                       (windows, places, sums)) {
  if (places == placesAtOnce)
    return addWindows<placesAtOnce>(windows, sums);
  for (int64_t p = 0; p < places; ++p) {
    addWindows<1>(windows, sums + p * channelsAtOnce);
    windows.signal += windows.step;
  }
}

namespace {
class ConvSignal : public Kernel {
public:
  explicit ConvSignal(const Problem &p)
      : attrs(p.attrs.conv), chain(p.instrs), weightDesc(p.inputs[1]),
        inputs(p.inputs.size()), threads(p.threads) {
    const npu_tensor_desc &x = p.inputs[0], &y = p.outputs[0];
    int last = x.rank - 1;
    batch = x.dims[0];
    channels = x.dims[1];
    in = x.dims[last];
    results = y.dims[1];
    out = y.dims[last];
    window = weightDesc.dims[last] * channels;
    stride = attrs.strides[last - 2];
    pad = attrs.pads_begin[last - 2];
    blocks = (results + channelsAtOnce - 1) / channelsAtOnce;
  }

  std::string implementation() const override { return "native:signal"; }

  size_t scratchBytes() const override {
    return static_cast<size_t>(threads * floatsEach()) * sizeof(float);
  }

  size_t pack(const void *const *operands) override {
    const auto *from = static_cast<const float *>(operands[1]);
    const auto count = blocks * window * channelsAtOnce;
    size_t made = 0;
    packed = packOnce(
        from, "signal, " + describe(weightDesc),
        static_cast<size_t>(count) * sizeof(float),
        [&](void *block) {
          std::fill_n(static_cast<float *>(block), count, 0.0f);
          packWindows(from, static_cast<float *>(block));
          return true;
        },
        made);
    return made;
  }

  bool isPacked(size_t input) const override { return input == 1 && packed; }

  int run(void *const *operands, void *scratch) const override {
    if (!packed)
      return 1;
    const int64_t stretches = (out + stretchPlaces - 1) / stretchPlaces;
    int team = teamFor(batch * out, minPlacesPerThread, threads);
    parallelFor(team, [&](int thread, int count) {
      float *room = static_cast<float *>(scratch) + thread * floatsEach();
      Range range = shareOf(batch * stretches, thread, count);
      for (int64_t i = range.begin; i < range.end; ++i) {
        int64_t n = i / stretches, first = i % stretches * stretchPlaces;
        oneStretch(operands, n, {first, std::min(first + stretchPlaces, out)},
                   room);
      }
    });
    return 0;
  }

private:
  void packWindows(const float *from, float *to) const {
    Strides steps = stridesOf(weightDesc);
    for (int64_t o = 0; o < results; ++o)
      for (int64_t k = 0; k < window; ++k)
        to[(o / channelsAtOnce * window + k) * channelsAtOnce +
           o % channelsAtOnce] =
            from[o * steps.outer[0] + k % channels * steps.outer[1] +
                 k / channels * steps.outer[weightDesc.rank - 1]];
  }

  int64_t signalFloats() const {
    return (stretchPlaces - 1) * stride * channels + window;
  }
  int64_t floatsEach() const {
    constexpr int64_t fixed = (placesAtOnce + 1) * channelsAtOnce;
    return fixed + (signalFloats() + lanes - 1) / lanes * lanes;
  }

  void oneStretch(void *const *operands, int64_t n, Range places,
                  float *room) const {
    float *bias = room, *sums = bias + channelsAtOnce,
          *signal = sums + placesAtOnce * channelsAtOnce;
    copySignal(static_cast<const float *>(operands[0]) + n * in * channels,
               places, signal);
    float *y = static_cast<float *>(operands[inputs]) +
               (n * out + places.begin) * results;
    const int64_t count = places.end - places.begin, step = stride * channels;
    for (int64_t block = 0; block < blocks; ++block) {
      const int64_t first = block * channelsAtOnce,
                    wide = std::min(channelsAtOnce, results - first);
      std::fill_n(bias, channelsAtOnce, 0.0f);
      if (attrs.has_bias)
        std::copy_n(static_cast<const float *>(operands[2]) + first, wide,
                    bias);
      const float *weights = static_cast<const float *>(packed.get()) +
                             block * window * channelsAtOnce;
      for (int64_t p = 0; p < count; p += placesAtOnce) {
        int64_t some = std::min(placesAtOnce, count - p);
        addSomeWindows({signal + p * step, weights, bias, step, window}, some,
                       sums);
        for (int64_t i = 0; i < some; ++i)
          std::copy_n(sums + i * channelsAtOnce, wide,
                      y + (p + i) * results + first);
      }
    }
    if (!chain.empty())
      interpretChain(chain, y, count * results);
  }

  /// What the windows of these places read, zeros where there is no signal.
  void copySignal(const float *x, Range places, float *to) const {
    const int64_t begin = (places.begin * stride - pad) * channels,
                  end = ((places.end - 1) * stride - pad) * channels + window;
    const int64_t from = std::clamp<int64_t>(begin, 0, in * channels),
                  until = std::clamp<int64_t>(end, from, in * channels);
    to = std::fill_n(to, std::min(from, end) - begin, 0.0f);
    to = std::copy(x + from, x + until, to);
    std::fill_n(to, end - std::max(until, begin), 0.0f);
  }

  npu_conv_attrs attrs;
  std::vector<npu_instr> chain;
  npu_tensor_desc weightDesc;
  size_t inputs;
  int threads;
  int64_t batch, channels, results, in, out, window, stride, pad, blocks;
  std::shared_ptr<void> packed; // by blocks of channels, windows, channels
};
} // namespace

/// Whether only the last spatial dimension is more than one element.
static bool isSignal(const Problem &problem) {
  for (int d = 2; d < problem.inputs[0].rank - 1; ++d)
    if (problem.inputs[0].dims[d] != 1 || problem.inputs[1].dims[d] != 1 ||
        problem.outputs[0].dims[d] != 1)
      return false;
  return true;
}

std::unique_ptr<Kernel> createConvSignal(const Problem &problem,
                                         std::string &whyNot) {
  const npu_tensor_desc &x = problem.inputs[0], &w = problem.inputs[1],
                        &y = problem.outputs[0];
  const npu_conv_attrs &a = problem.attrs.conv;
  if (!isSignal(problem))
    whyNot = "more than one spatial dimension";
  else if (a.groups != 1 || x.dims[1] > mostChannels)
    whyNot = "many channels";
  else if (w.dims[w.rank - 1] < shortestWindow)
    whyNot = "a short window";
  else if (a.dilations[x.rank - 3] != 1)
    whyNot = "dilated";
  else if (elementCount(x) == 0 || elementCount(y) == 0)
    whyNot = "nothing to compute";
  else if (!isChannelsLastF32(x) || !isChannelsLastF32(y) || w.dtype != NPU_F32)
    whyNot = "not f32 with channels last";
  else if (w.block_count || !problem.isConstant(1))
    whyNot = "weights that cannot be packed";
  else if (a.has_bias && problem.inputs[2].dtype != NPU_F32)
    whyNot = "bias is not f32";
  else if (!isUnaryChain(problem.instrs, problem.inputs.size()))
    whyNot = "a fused chain that is not unary";
  return whyNot.empty() ? std::make_unique<ConvSignal>(problem) : nullptr;
}

} // namespace npu::kernels
