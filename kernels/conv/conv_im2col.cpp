// SPDX-License-Identifier: Apache-2.0
//
// Convolution of images of a few channels, channels last: the first one of a
// network. The windows of some places of a row are copied next to each other,
// padding as zeros, into the nearest cache, and meet the weights as rows of a
// product do. oneDNN (3.2) leaves most of a vector empty there.

#include "kernels/conv/window.h"
#include "kernels/matmul/panel_epilogue.h"
#include "kernels/packed.h"
#include "kernels/parallel.h"
#include "kernels/registry.h"
#include "kernels/support/interpreter.h"
#include "kernels/support/vectors.h"
#include "kernels/tensor.h"

#include <algorithm>
#include <immintrin.h>

namespace npu::kernels {

constexpr int64_t mostChannels = 4, mostDepth = 256;
/// Numbers of a window up to which, and results of a place beyond which, it is
/// faster than oneDNN's kernels.
constexpr int64_t shortDepth = 64, fewColumns = lanes;
constexpr int64_t minWorkPerThread = 16384;
/// Windows that are copied at once, and stay in the nearest cache beside a
/// panel of weights.
constexpr int64_t floatsOfWindows = 4 * 1024;
static_assert(floatsOfWindows >= mostTileRows * mostDepth);

namespace {
class ConvIm2col : public Kernel, ConvWindows {
public:
  ConvIm2col(const Problem &p, Product described, PanelEpilogue e)
      : ConvWindows(p), product(std::move(described)), epilogue(std::move(e)) {
    batch = p.inputs[0].dims[0];
    channels = p.inputs[0].dims[1];
    inRow = kernel.d[2] * channels;
    depth = kernel.size() * channels;
    panels = (product.columns + panelColumns - 1) / panelColumns;
    // Equal parts of a row, of whole tiles.
    const int64_t tile = tileRows(widthOf(0)),
                  whole = (out.d[2] + tile - 1) / tile,
                  most = std::max<int64_t>(floatsOfWindows / (depth * tile), 1),
                  parts = (whole + most - 1) / most;
    placesAtOnce = (whole + parts - 1) / parts * tile;
    strips = (out.d[2] + placesAtOnce - 1) / placesAtOnce;
  }

  std::string implementation() const override { return "native:im2col"; }

  size_t pack(const void *const *operands) override {
    const auto *from = static_cast<const float *>(operands[1]);
    const auto floats = static_cast<size_t>(panels * panelColumns * depth);
    size_t made = 0;
    packed = packOnce(
        from, "im2col, " + describe(product.problem.inputs[1]),
        floats * sizeof(float),
        [&](void *to) {
          std::fill_n(static_cast<float *>(to), floats, 0.0F);
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
    const int64_t rows = batch * out.d[0] * out.d[1];
    const int team = teamFor(rows * out.d[2] * depth * product.columns / 16,
                             minWorkPerThread, product.problem.threads);
    parallelFor(team, [&](int thread, int count) {
      alignas(NPU_VALUE_ALIGNMENT) float windows[floatsOfWindows];
      const Range range = shareOf(rows * strips, thread, count);
      for (int64_t i = range.begin; i < range.end; ++i)
        oneStrip(operands, i / strips, i % strips * placesAtOnce, windows);
    });
    return 0;
  }

private:
  int64_t widthOf(int64_t panel) const {
    return panelWidth(
        std::min(panelColumns, product.columns - panel * panelColumns));
  }

  /// To [panel][depth][width].
  void packWeights(const float *from, float *to) const {
    const npu_tensor_desc &weight = product.problem.inputs[1];
    const std::vector<int64_t> down = weightsOfWindow(weight);
    const int64_t across = stridesOf(weight).outer[0];
    for (int64_t c = 0; c < product.columns; ++c) {
      const int64_t panel = c / panelColumns, width = widthOf(panel);
      for (int64_t k = 0; k < depth; ++k)
        to[panel * panelColumns * depth + k * width + c % panelColumns] =
            from[down[static_cast<size_t>(k)] + c * across];
    }
  }

  /// Some places of row `row` of the result, of all images' rows.
  void oneStrip(void *const *operands, int64_t row, int64_t first,
                float *windows) const {
    const int64_t count = std::min(placesAtOnce, out.d[2] - first);
    const auto *image = static_cast<const float *>(operands[0]) +
                        row / (out.d[0] * out.d[1]) * in.size() * channels;
    const int64_t z = row / out.d[1] % out.d[0], y = row % out.d[1];
    for (int64_t i = 0; i < kernel.d[0] * kernel.d[1]; ++i) {
      const int64_t plane = z * strides.d[0] - pads.d[0] +
                            i / kernel.d[1] * dilations.d[0],
                    line = y * strides.d[1] - pads.d[1] +
                           i % kernel.d[1] * dilations.d[1];
      const bool isInside =
          plane >= 0 && plane < in.d[0] && line >= 0 && line < in.d[1];
      copyRuns(isInside ? image + (plane * in.d[1] + line) * in.d[2] * channels
                        : nullptr,
               {first, first + count}, windows + i * inRow);
    }
    auto *result =
        static_cast<float *>(operands[product.problem.inputs.size()]) +
        (row * out.d[2] + first) * product.columns;
    for (int64_t panel = 0; panel < panels; ++panel)
      onePanel(operands, panel, windows, count, result);
    if (!epilogue.rest.empty())
      interpretChain(epilogue.rest, result, count * product.columns);
  }

  /// What a row of the data, or one of padding, has in the windows of some
  /// places.
  void copyRuns(const float *line, Range places, float *to) const {
    if (!line) {
      for (int64_t x = places.begin; x < places.end; ++x, to += depth)
        std::fill_n(to, inRow, 0.0F);
      return;
    }
    // Places whose windows lie in the row: the others have padding.
    const int64_t step = strides.d[2], last = in.d[2] - kernel.d[2] + pads.d[2],
                  first = std::clamp((pads.d[2] + step - 1) / step,
                                     places.begin, places.end),
                  end = std::clamp(last < 0 ? 0 : last / step + 1, first,
                                   places.end);
    for (int64_t x = places.begin; x < first; ++x, to += depth)
      copyPart(line, x, to);
    const float *from = line + (first * step - pads.d[2]) * channels;
    if (inRow <= lanes)
      copyWhole<true>(from, end - first, to);
    else
      copyWhole<false>(from, end - first, to);
    to += (end - first) * depth;
    for (int64_t x = end; x < places.end; ++x, to += depth)
      copyPart(line, x, to);
  }

  void copyPart(const float *line, int64_t x, float *to) const {
    const int64_t at = x * strides.d[2] - pads.d[2],
                  before = std::clamp<int64_t>(-at, 0, kernel.d[2]),
                  inside = std::clamp(in.d[2] - at, before, kernel.d[2]);
    std::fill_n(to, inRow, 0.0F);
    std::copy_n(line + (at + before) * channels, (inside - before) * channels,
                to + before * channels);
  }

  /// Of windows without padding. `IsShort`: at most a vector.
  template <bool IsShort>
  NPU_WIDE_ONLY void copyWhole(const float *from, int64_t count,
                               float *to) const {
    const int64_t length = inRow, fromStep = strides.d[2] * channels,
                  toStep = depth, whole = IsShort ? 0 : length / lanes * lanes;
    const auto rest = static_cast<__mmask16>((1U << (length - whole)) - 1);
    for (int64_t i = 0; i < count; ++i, from += fromStep, to += toStep) {
      for (int64_t k = 0; k < whole; k += lanes)
        _mm512_storeu_ps(to + k, _mm512_loadu_ps(from + k));
      _mm512_mask_storeu_ps(to + whole, rest,
                            _mm512_maskz_loadu_ps(rest, from + whole));
    }
  }

  void onePanel(void *const *operands, int64_t panel, const float *windows,
                int64_t count, float *result) const {
    const int64_t first = panel * panelColumns;
    const Range columns = {first,
                           std::min(first + panelColumns, product.columns)};
    float numbers[3 * panelColumns];
    PanelTile tile = {};
    tile.width = widthOf(panel);
    static_cast<TileEnd &>(tile) =
        endOf(product, epilogue, operands, columns, tile.width, numbers);
    tile.columns = columns.end - columns.begin;
    tile.depth = depth;
    tile.runCount = 1;
    tile.weights = static_cast<const float *>(packed.get()) + first * depth;
    tile.next = tile.weights; // nothing is brought nearer
    multiply(tile, windows, count, result + first);
  }

  void multiply(PanelTile &tile, const float *windows, int64_t count,
                float *result) const {
    const int64_t most = tileRows(tile.width),
                  quick = isForRows(tile) ? count / most : 0;
    if (quick > 0) {
      PanelRows rows = {};
      rows.data = windows;
      rows.dataStep = depth;
      rows.results = result;
      rows.resultStep = product.columns;
      rows.tiles = quick;
      multiplyRows(tile, rows);
    }
    RunOfRows one;
    tile.runs = &one;
    for (int64_t first = quick * most; first < count; first += tile.count) {
      tile.count = std::min(most, count - first);
      for (int64_t i = 0; i < tile.count; ++i) {
        one[i] = windows + (first + i) * depth;
        tile.results[i] = result + (first + i) * product.columns;
      }
      multiplyTile(tile);
    }
  }

  Product product;
  PanelEpilogue epilogue;
  int64_t batch, channels, panels, strips;
  int64_t depth, inRow; ///< numbers of a window, and of one row of it
  int64_t placesAtOnce;
  std::shared_ptr<void> packed;
};
} // namespace

static bool isOfFewChannels(const Problem &problem, std::string &whyNot) {
  const npu_tensor_desc &x = problem.inputs[0], &w = problem.inputs[1],
                        &y = problem.outputs[0];
  const npu_conv_attrs &a = problem.attrs.conv;
  if (!hasWideRegisters())
    whyNot = "no registers of 512 bits";
  else if (a.groups != 1 || x.dims[1] > mostChannels)
    whyNot = "more than a few channels, or groups of them";
  else if (elementCount(x) == 0 || elementCount(y) == 0)
    whyNot = "nothing to compute";
  else if (!isChannelsLastF32(x) || !isChannelsLastF32(y) ||
           w.dtype != NPU_F32 || w.block_count || !problem.isConstant(1))
    whyNot = "not f32 with channels last times a constant";
  else if (a.has_bias && problem.inputs[2].dtype != NPU_F32)
    whyNot = "bias is not f32";
  else if (a.dilations[x.rank - 3] != 1 ||
           elementCount(w) / w.dims[0] > mostDepth)
    whyNot = "long windows, or such with gaps";
  return whyNot.empty();
}

static std::unique_ptr<Kernel> createFor(const Problem &problem, bool isAny,
                                         std::string &whyNot) {
  const npu_tensor_desc &w = problem.inputs[1];
  if (!isOfFewChannels(problem, whyNot))
    return nullptr;
  Product product;
  const bool readsNoFactors = describeColumns(problem, product);
  PanelEpilogue epilogue = epilogueOf(product);
  if (!readsNoFactors || epilogue.added >= 0 || problem.inPlaceInput >= 0 ||
      !isUnaryChain(epilogue.rest, problem.inputs.size()))
    whyNot = "a fused chain of other than numbers of channels";
  else if (!isAny && (elementCount(w) / w.dims[0] > shortDepth ||
                      w.dims[0] <= fewColumns))
    whyNot = "long windows, or few channels of the result";
  if (!whyNot.empty())
    return nullptr;
  return std::make_unique<ConvIm2col>(problem, std::move(product),
                                      std::move(epilogue));
}

std::unique_ptr<Kernel> createConvShortIm2col(const Problem &problem,
                                              std::string &whyNot) {
  return createFor(problem, false, whyNot);
}

std::unique_ptr<Kernel> createConvIm2col(const Problem &problem,
                                         std::string &whyNot) {
  return createFor(problem, true, whyNot);
}

} // namespace npu::kernels
