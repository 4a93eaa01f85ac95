// SPDX-License-Identifier: Apache-2.0
//
// Depthwise convolution of images, channels last, square windows without gaps.
// A few pixels of two rows of results have their sums of some channels in
// registers; oneDNN (3.2) has those of one row, and loads the data for each tap
// anew. Data and results are f32, or both bf16.

#include "kernels/conv/pixel_tile.h"
#include "kernels/conv/window.h"
#include "kernels/matmul/panel_epilogue.h"
#include "kernels/packed.h"
#include "kernels/parallel.h"
#include "kernels/registry.h"
#include "kernels/support/convert.h"
#include "kernels/support/interpreter.h"
#include "kernels/support/vectors.h"
#include "kernels/tensor.h"

#include <algorithm>

namespace npu::kernels {

constexpr int64_t minWorkPerThread = 16384;
/// Windows, and pixels of results, from which on oneDNN's kernel is slower.
constexpr int64_t largeWindow = 5, manyPixels = 784;
/// Channels of a part of the work.
constexpr int64_t channelsAtOnce = tileVectors * lanes;

namespace {
/// What all tiles of two rows of results read, of some channels.
struct Part {
  int64_t first, count; ///< channels
  bool hasSecondRow;
  const char *data[mostDataRows]; ///< rows under the results; null: padding
  char *result;
  float numbers[3 * channelsAtOnce]; ///< those of endOf()
};

class ConvPixels : public Kernel, ConvWindows {
public:
  /// `p` and `described` are of f32, whatever the numbers are.
  ConvPixels(const Problem &p, Product described, PanelEpilogue e,
             const PixelWindow &w, bool isNarrow)
      : ConvWindows(p), product(std::move(described)), epilogue(std::move(e)),
        window(w), isNarrow(isNarrow),
        bytes(isNarrow ? sizeof(uint16_t) : sizeof(float)) {
    batch = p.inputs[0].dims[0];
    channels = product.columns;
    blocks = (channels + channelsAtOnce - 1) / channelsAtOnce;
  }

  std::string implementation() const override { return "native:pixels"; }

  size_t pack(const void *const *operands) override {
    const void *from = operands[1];
    const int64_t floats = (channels + lanes - 1) / lanes * lanes * taps();
    size_t made = 0;
    packed = packOnce(
        from,
        (isNarrow ? "pixels of bf16, " : "pixels, ") +
            describe(product.problem.inputs[1]),
        static_cast<size_t>(floats) * sizeof(float),
        [&](void *to) {
          std::fill_n(static_cast<float *>(to), floats, 0.0f);
          packWeights(from, static_cast<float *>(to));
          return true;
        },
        made);
    return made;
  }

  bool isPacked(size_t input) const override { return input == 1 && packed; }

  int run(void *const *operands, void *) const override {
    if (!packed)
      return 1;
    const int64_t pairs = (out.d[1] + 1) / 2;
    const int team = teamFor(batch * out.size() * channels * taps() / 8,
                             minWorkPerThread, product.problem.threads);
    parallelFor(team, [&](int thread, int count) {
      const Range range = shareOf(batch * pairs * blocks, thread, count);
      for (int64_t i = range.begin; i < range.end; ++i) {
        const int64_t y = i / blocks % pairs * 2;
        onePart(operands, i / blocks / pairs, y, y + 1 < out.d[1], i % blocks);
      }
    });
    return 0;
  }

private:
  int64_t taps() const { return window.window * window.window; }

  /// To [vector][tap][lanes].
  void packWeights(const void *from, float *to) const {
    const auto numberAt = [&](int64_t at) {
      return isNarrow ? bfloatToFloat(static_cast<const uint16_t *>(from)[at])
                      : static_cast<const float *>(from)[at];
    };
    const npu_tensor_desc &weight = product.problem.inputs[1];
    const std::vector<int64_t> places = weightsOfWindow(weight);
    const int64_t step = stridesOf(weight).outer[0];
    for (int64_t tap = 0; tap < taps(); ++tap)
      for (int64_t c = 0; c < channels; ++c)
        to[(c / lanes * taps() + tap) * lanes + c % lanes] =
            numberAt(places[static_cast<size_t>(tap)] + c * step);
  }

  /// One or two rows of results of some channels.
  void onePart(void *const *operands, int64_t image, int64_t y,
               bool hasSecondRow, int64_t block) const {
    Part part = {};
    part.first = block * channelsAtOnce;
    part.count = std::min(channelsAtOnce, channels - part.first);
    part.hasSecondRow = hasSecondRow;
    for (int64_t i = 0; i < window.rows(); ++i) {
      const int64_t from = y * window.stride - pads.d[1] + i;
      if (from >= 0 && from < in.d[1])
        part.data[i] =
            static_cast<const char *>(operands[0]) +
            ((image * in.d[1] + from) * in.d[2] * channels + part.first) *
                bytes;
    }
    const int64_t to =
        (image * out.d[1] + y) * out.d[2] * channels + part.first;
    part.result = static_cast<char *>(operands[product.problem.inputs.size()]) +
                  to * bytes;
    PixelTile tile = tileOf(operands, part);
    // The last tile is a whole one that begins before the end of the one
    // before.
    const int64_t last = std::max<int64_t>(out.d[2] - tilePixels, 0);
    for (int64_t x = 0; x < out.d[2]; x += tilePixels)
      oneTile(part, std::min(x, last), tile);
  }

  PixelTile tileOf(void *const *operands, Part &part) const {
    PixelTile tile = {};
    static_cast<TileEnd &>(tile) = endOf(product, epilogue, operands,
                                         {part.first, part.first + part.count},
                                         channelsAtOnce, part.numbers);
    tile.channels = channels;
    tile.isStaged = isNarrow && !epilogue.rest.empty();
    tile.step = tile.isStaged ? channelsAtOnce : channels;
    tile.vectors = (part.count + lanes - 1) / lanes;
    tile.weights =
        static_cast<const float *>(packed.get()) + part.first * taps();
    tile.lastLanes = (1U << (part.count - (tile.vectors - 1) * lanes)) - 1;
    return tile;
  }

  /// The pixels from column `x` on.
  void oneTile(const Part &part, int64_t x, PixelTile &tile) const {
    uint16_t columns[mostDataColumns];
    const int64_t from = x * window.stride - pads.d[2];
    tile.pixels = std::min(tilePixels, out.d[2] - x);
    for (int64_t i = 0; i < window.rows(); ++i)
      tile.data[i] =
          part.data[i] ? part.data[i] + from * channels * bytes : nullptr;
    float stage[pixelRows][tilePixels * channelsAtOnce];
    for (int64_t r = 0; r < (part.hasSecondRow ? 2 : 1); ++r)
      tile.results[r] =
          tile.isStaged ? static_cast<void *>(stage[r])
                        : part.result + (r * out.d[2] + x) * channels * bytes;
    if (from >= 0 && from + window.columns() <= in.d[2] && part.hasSecondRow &&
        tile.lastLanes == 0xffff) {
      window.all(tile);
    } else {
      for (int64_t i = 0; i < window.columns(); ++i)
        columns[i] = from + i >= 0 && from + i < in.d[2] ? 0xffff : 0;
      tile.columns = columns;
      window.some(tile);
    }
    for (int64_t r = 0; r < pixelRows; ++r) {
      auto *row = static_cast<float *>(tile.results[r]);
      if (row && !epilogue.rest.empty())
        finish(row, tile, part.count);
      if (row && tile.isStaged)
        round(row, tile.pixels, part.count,
              part.result + (r * out.d[2] + x) * channels * bytes);
    }
  }

  /// What is left to be done on some channels of a few pixels.
  void finish(float *result, const PixelTile &tile, int64_t count) const {
    if (count == tile.step)
      return interpretChain(epilogue.rest, result, tile.pixels * count);
    for (int64_t p = 0; p < tile.pixels; ++p)
      interpretChain(epilogue.rest, result + p * tile.step, count);
  }

  /// Results of f32, channelsAtOnce apart, to their place.
  void round(const float *from, int64_t pixels, int64_t count, char *to) const {
    for (int64_t p = 0; p < pixels; ++p)
      narrow(NPU_BF16, from + p * channelsAtOnce,
             reinterpret_cast<uint16_t *>(to + p * channels * bytes), count);
  }

  Product product;
  PanelEpilogue epilogue;
  const PixelWindow &window;
  bool isNarrow;
  int64_t bytes; // of a number of the data
  int64_t batch, channels, blocks;
  std::shared_ptr<void> packed;
};
} // namespace

/// Of an image with a square window without gaps.
static const PixelWindow *windowOf(const Problem &problem, bool isNarrow,
                                   std::string &whyNot) {
  const npu_tensor_desc &x = problem.inputs[0], &w = problem.inputs[1],
                        &y = problem.outputs[0];
  const npu_conv_attrs &a = problem.attrs.conv;
  if (!hasWideRegisters())
    whyNot = "no registers of 512 bits";
  else if (a.groups < 2 || a.groups != x.dims[1] || a.groups != y.dims[1])
    whyNot = "not depthwise";
  else if (elementCount(x) == 0 || elementCount(y) == 0)
    whyNot = "nothing to compute";
  else if (!isChannelsLastF32(x) || !isChannelsLastF32(y) ||
           w.dtype != NPU_F32 || w.block_count || !problem.isConstant(1))
    whyNot = "not f32 with channels last times a constant";
  else if (a.has_bias && problem.inputs[2].dtype != NPU_F32)
    whyNot = "bias is not f32";
  if (!whyNot.empty())
    return nullptr;
  const bool isSquare = w.rank == 4 && w.dims[2] == w.dims[3] &&
                        a.strides[0] == a.strides[1] && a.dilations[0] == 1 &&
                        a.dilations[1] == 1;
  const auto find = isNarrow ? findBfloatWindow : findPixelWindow;
  const PixelWindow *window =
      isSquare ? find(w.dims[2], a.strides[0]) : nullptr;
  if (!window)
    whyNot = "a window that no tile is made for";
  return window;
}

/// Whether it is faster than oneDNN's kernel, or as fast: not where both wait
/// for data that another core has, or for what is fused behind.
static bool isFaster(const Problem &problem, const PanelEpilogue &epilogue) {
  const npu_tensor_desc &w = problem.inputs[1], &y = problem.outputs[0];
  return epilogue.rest.empty() &&
         (w.dims[2] >= largeWindow || y.dims[2] * y.dims[3] >= manyPixels);
}

/// The problem of f32 that computes what one of bf16 rounds as it is stored;
/// itself where there is no bf16.
static Problem inFloats(const Problem &problem) {
  Problem wide = problem;
  npu_tensor_desc *numbers[] = {&wide.inputs[0], &wide.inputs[1],
                                &wide.outputs[0]};
  for (const npu_tensor_desc *each : numbers)
    if (each->dtype != NPU_BF16)
      return wide;
  for (npu_tensor_desc *each : numbers)
    each->dtype = NPU_F32;
  const auto before =
      static_cast<int>(wide.inputs.size() + wide.instrs.size()) - 1;
  if (!wide.instrs.empty() && wide.instrs.back().kind == NPU_INSTR_cast &&
      wide.instrs.back().a == before && wide.instrs.back().dtype == NPU_BF16)
    wide.instrs.pop_back();
  return wide;
}

static std::unique_ptr<Kernel> createFor(const Problem &given, bool isAny,
                                         std::string &whyNot) {
  const bool isNarrow = given.inputs[0].dtype == NPU_BF16;
  const Problem problem = inFloats(given);
  const PixelWindow *window = windowOf(problem, isNarrow, whyNot);
  if (!window)
    return nullptr;
  Product product;
  const bool readsNoFactors = describeColumns(problem, product);
  PanelEpilogue epilogue = epilogueOf(product);
  if (!readsNoFactors || epilogue.added >= 0 || problem.inPlaceInput >= 0 ||
      !isUnaryChain(epilogue.rest, problem.inputs.size()))
    whyNot = "a fused chain of other than numbers of channels";
  else if (!isAny && !isNarrow && !isFaster(problem, epilogue))
    whyNot = "a small image under a small window, or a long chain";
  if (!whyNot.empty())
    return nullptr;
  return std::make_unique<ConvPixels>(problem, std::move(product),
                                      std::move(epilogue), *window, isNarrow);
}

std::unique_ptr<Kernel> createConvLargePixels(const Problem &problem,
                                              std::string &whyNot) {
  return createFor(problem, false, whyNot);
}

std::unique_ptr<Kernel> createConvPixels(const Problem &problem,
                                         std::string &whyNot) {
  return createFor(problem, true, whyNot);
}

} // namespace npu::kernels
