// SPDX-License-Identifier: Apache-2.0
//
// Depthwise convolution of channels-last tensors whose windows have gaps, or
// with several filters for each channel. oneDNN (3.2) computes the first one
// tap at a time, or as one tiny product for each channel, and pads the channels
// of the second to vectors of zeros: ten times as long as a plain one. Here a
// few pixels have their sums of some channels in registers while all taps go
// by; of data with several filters each channel is repeated before.

#include "kernels/conv/window.h"
#include "kernels/matmul/as_product.h"
#include "kernels/packed.h"
#include "kernels/parallel.h"
#include "kernels/registry.h"
#include "kernels/support/interpreter.h"
#include "kernels/support/vectors.h"
#include "kernels/tensor.h"

#include <algorithm>
#include <vector>

namespace npu::kernels {

constexpr int64_t minWorkPerThread = 16384;
constexpr int64_t pixelsAtOnce = 4, vectorsAtOnce = 2;
/// Floats of data that is repeated: more is too much memory beside the data.
constexpr int64_t mostRepeated = int64_t{1} << 23;

namespace {
/// A row of the windows' taps, and of the data under them.
struct TapRow {
  const float *weights, *data;
};

/// Some pixels of a row of results, in steps of floats.
struct Pixels {
  const std::vector<TapRow> &rows;
  int64_t first, end;         ///< taps of each row
  int64_t channels;           ///< floats from tap to tap of the weights
  int64_t from;               ///< from a row's data to the first pixel's
  int64_t tapStep, pixelStep; ///< of the data
  const float *bias;          ///< null: none
  float *result;
};

template <int64_t Count, int64_t Vectors>
NPU_INLINE void sumVectors(const Pixels &p, int64_t channel) {
  Vector sums[Count][Vectors];
  for (int64_t i = 0; i < Count; ++i)
    for (int64_t v = 0; v < Vectors; ++v)
      sums[i][v] = p.bias ? loadVector(p.bias + channel + v * lanes) : Vector{};
  for (const TapRow &row : p.rows)
    for (int64_t tap = p.first; tap < p.end; ++tap) {
      const float *weights = row.weights + tap * p.channels + channel;
      const float *data = row.data + p.from + tap * p.tapStep + channel;
#pragma clang loop unroll(full)
      for (int64_t v = 0; v < Vectors; ++v) {
        const Vector weight = loadVector(weights + v * lanes);
#pragma clang loop unroll(full)
        for (int64_t i = 0; i < Count; ++i)
          sums[i][v] += weight * loadVector(data + i * p.pixelStep + v * lanes);
      }
    }
  for (int64_t i = 0; i < Count; ++i)
    for (int64_t v = 0; v < Vectors; ++v)
      storeVector(p.result + i * p.channels + channel + v * lanes, sums[i][v]);
}

template <int64_t Count>
NPU_INLINE void sumPixels(const Pixels &p) {
  int64_t channel = 0;
  for (; channel + vectorsAtOnce * lanes <= p.channels;
       channel += vectorsAtOnce * lanes)
    sumVectors<Count, vectorsAtOnce>(p, channel);
  for (; channel + lanes <= p.channels; channel += lanes)
    sumVectors<Count, 1>(p, channel);
  for (; channel < p.channels; ++channel)
    for (int64_t i = 0; i < Count; ++i) {
      float sum = p.bias ? p.bias[channel] : 0.0f;
      for (const TapRow &row : p.rows)
        for (int64_t tap = p.first; tap < p.end; ++tap)
          sum += row.weights[tap * p.channels + channel] *
                 row.data[p.from + tap * p.tapStep + i * p.pixelStep + channel];
      p.result[i * p.channels + channel] = sum;
    }
}
} // namespace

static NPU_WIDE_ONLY void sumOne(const Pixels &pixels) { sumPixels<1>(pixels); }
static NPU_WIDE_ONLY void sumSome(const Pixels &pixels) {
  sumPixels<pixelsAtOnce>(pixels);
}

static NPU_WIDE_ONLY void twice(const float *from, int64_t count, float *to) {
  for (int64_t i = 0; i < count; ++i)
    to[2 * i] = to[2 * i + 1] = from[i];
}

namespace {
class ConvLanes : public Kernel, ConvWindows {
public:
  explicit ConvLanes(const Problem &p)
      : ConvWindows(p), attrs(p.attrs.conv), instrs(p.instrs),
        weightDesc(p.inputs[1]), inputs(p.inputs.size()), threads(p.threads),
        batch(p.inputs[0].dims[0]), channels(p.outputs[0].dims[1]),
        filters(channels / p.inputs[0].dims[1]) {}

  std::string implementation() const override { return "native:lanes"; }

  size_t scratchBytes() const override {
    const int64_t repeated = filters > 1 ? batch * in.size() : 0;
    return static_cast<size_t>(repeated * channels) * sizeof(float);
  }

  size_t pack(const void *const *operands) override {
    const auto *from = static_cast<const float *>(operands[1]);
    size_t made = 0;
    packed = packOnce(
        from, "lanes, " + describe(weightDesc),
        static_cast<size_t>(kernel.size() * channels) * sizeof(float),
        [&](void *to) {
          spread(from, static_cast<float *>(to));
          return true;
        },
        made);
    return made;
  }

  bool isPacked(size_t input) const override { return input == 1 && packed; }

  int run(void *const *operands, void *scratch) const override {
    if (!packed)
      return 1;
    const auto *weights = static_cast<const float *>(packed.get());
    const auto *data = static_cast<const float *>(operands[0]);
    if (filters > 1)
      data = repeat(data, static_cast<float *>(scratch));
    const auto *bias =
        attrs.has_bias ? static_cast<const float *>(operands[2]) : nullptr;
    auto *result = static_cast<float *>(operands[inputs]);
    const int64_t rows = batch * out.d[0] * out.d[1];
    const int team = teamFor(rows * out.d[2] * channels * kernel.size() / 8,
                             minWorkPerThread, threads);
    parallelFor(team, [&](int thread, int count) {
      const Range range = shareOf(rows, thread, count);
      std::vector<TapRow> taps;
      for (int64_t row = range.begin; row < range.end; ++row)
        oneRow(data, weights, bias, taps, row,
               result + row * out.d[2] * channels);
    });
    return 0;
  }

private:
  /// Weights as [tap][channel].
  void spread(const float *from, float *to) const {
    const int64_t step = stridesOf(weightDesc).outer[0];
    for (int64_t offset : weightsOfWindow(weightDesc))
      for (int64_t c = 0; c < channels; ++c)
        *to++ = from[offset + c * step];
  }

  /// The data with each channel as often as it has filters.
  const float *repeat(const float *from, float *to) const {
    const int64_t given = batch * in.size() * (channels / filters);
    const int team = teamFor(given * filters, minWorkPerThread, threads);
    parallelFor(team, [&](int thread, int count) {
      const Range range = shareOf(given, thread, count);
      if (filters == 2)
        twice(from + range.begin, range.end - range.begin,
              to + 2 * range.begin);
      else
        for (int64_t i = range.begin; i < range.end; ++i)
          std::fill_n(to + i * filters, filters, from[i]);
    });
    return to;
  }

  /// The taps that the windows of a row of results have on the data.
  void findTaps(const float *data, const float *weights, int64_t row,
                std::vector<TapRow> &taps) const {
    const int64_t y = row % out.d[1], z = row / out.d[1] % out.d[0],
                  image = row / out.d[1] / out.d[0];
    taps.clear();
    for (int64_t kz = 0; kz < kernel.d[0]; ++kz)
      for (int64_t ky = 0; ky < kernel.d[1]; ++ky) {
        const int64_t fromZ =
            z * strides.d[0] + kz * dilations.d[0] - pads.d[0];
        const int64_t fromY =
            y * strides.d[1] + ky * dilations.d[1] - pads.d[1];
        if (fromZ < 0 || fromZ >= in.d[0] || fromY < 0 || fromY >= in.d[1])
          continue;
        const int64_t place = (image * in.d[0] + fromZ) * in.d[1] + fromY;
        taps.push_back(
            {weights + (kz * kernel.d[1] + ky) * kernel.d[2] * channels,
             data + place * in.d[2] * channels});
      }
  }

  void oneRow(const float *data, const float *weights, const float *bias,
              std::vector<TapRow> &taps, int64_t row, float *result) const {
    findTaps(data, weights, row, taps);
    Pixels pixels{taps,
                  0,
                  0,
                  channels,
                  0,
                  dilations.d[2] * channels,
                  strides.d[2] * channels,
                  bias,
                  result};
    int64_t x = 0;
    while (x < out.d[2]) {
      const int64_t from = x * strides.d[2] - pads.d[2];
      const bool isSome = x + pixelsAtOnce <= out.d[2] && hasAllTaps(from) &&
                          hasAllTaps(from + (pixelsAtOnce - 1) * strides.d[2]);
      validRange(kernel.d[2], in.d[2], dilations.d[2], from, pixels.first,
                 pixels.end);
      pixels.from = from * channels;
      pixels.result = result + x * channels;
      if (isSome)
        sumSome(pixels);
      else
        sumOne(pixels);
      x += isSome ? pixelsAtOnce : 1;
    }
    if (!instrs.empty())
      interpretChain(instrs, result, out.d[2] * channels);
  }

  /// Whether all taps of a row of a window that begins here are on the data.
  bool hasAllTaps(int64_t from) const {
    return from >= 0 && from + (kernel.d[2] - 1) * dilations.d[2] < in.d[2];
  }

  npu_conv_attrs attrs;
  std::vector<npu_instr> instrs;
  npu_tensor_desc weightDesc;
  size_t inputs;
  int threads;
  int64_t batch;
  int64_t channels;             ///< of the result
  int64_t filters;              ///< of each channel of the data
  std::shared_ptr<void> packed; ///< weights as [tap][channel]
};
} // namespace

/// Whether an element of each window lies beside a gap.
static bool hasGaps(const Problem &problem) {
  const npu_tensor_desc &w = problem.inputs[1];
  for (int d = 2; d < w.rank; ++d)
    if (w.dims[d] > 1 && problem.attrs.conv.dilations[d - 2] > 1)
      return true;
  return false;
}

std::unique_ptr<Kernel> createConvLanes(const Problem &problem,
                                        std::string &whyNot) {
  const npu_tensor_desc &x = problem.inputs[0], &w = problem.inputs[1],
                        &y = problem.outputs[0];
  const int64_t groups = problem.attrs.conv.groups;
  if (!hasWideRegisters())
    whyNot = "no registers of 512 bits";
  else if (groups < 2 || groups != x.dims[1])
    whyNot = "not depthwise";
  else if (groups == y.dims[1] && !hasGaps(problem))
    whyNot = "windows without gaps, one filter for each channel";
  else if (elementCount(x) == 0 || elementCount(y) == 0)
    whyNot = "nothing to compute";
  else if (groups < y.dims[1] &&
           elementCount(x) / groups > mostRepeated / y.dims[1])
    whyNot = "an image too large to repeat for each filter";
  else if (!isChannelsLastF32(x) || !isChannelsLastF32(y) ||
           w.dtype != NPU_F32 || w.block_count || !problem.isConstant(1))
    whyNot = "not f32 with channels last times a constant";
  else if (problem.attrs.conv.has_bias && problem.inputs[2].dtype != NPU_F32)
    whyNot = "bias is not f32";
  else if (!isUnaryChain(problem.instrs, problem.inputs.size()))
    whyNot = "a fused chain that is not unary";
  if (!whyNot.empty())
    return nullptr;
  return std::make_unique<ConvLanes>(problem);
}

} // namespace npu::kernels
