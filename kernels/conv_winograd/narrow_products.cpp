// SPDX-License-Identifier: Apache-2.0
//
// Winograd's products with weights that stay in memory as the numbers which
// their taps are made of: some channels of a panel of filters go to the points
// when tiles of data are about to meet them.

#include "kernels/conv_winograd/point_products.h"

#include "kernels/conv_winograd/point_tile.h"
#include "kernels/conv_winograd/transforms.h"
#include "kernels/matmul/packed_weights.h"
#include "kernels/support/reference.h"
#include "kernels/tensor.h"

#include <algorithm>

namespace npu::kernels {

constexpr int64_t tapsOfChannel = 9;
/// Of so many weights at the points, all are made at once.
constexpr int64_t wholeBytes = 4096 * 1024;
/// Of more, those that stay in the second-level cache while tiles meet them,
/// and their taps.
constexpr int64_t bytesAtOnce = 640 * 1024;
/// Channels whose taps are made real at once where all are.
constexpr int64_t channelsAtOnce = 8;

static constexpr auto floatBytes = static_cast<int64_t>(sizeof(float));

/// Part `number` of so many.
static Kernel::Bytes partOf(Kernel::Bytes all, int64_t number, int64_t parts) {
  const auto count = static_cast<int64_t>(all.count);
  const int64_t first = count * number / parts;
  return {all.first + first,
          static_cast<size_t>(count * (number + 1) / parts - first)};
}

/// Floats between the weights of two points: another line of the cache for
/// each, or their stores would push each other out.
static int64_t apart(int64_t width, int64_t channels) {
  return width * channels + lanes;
}

namespace {
class NarrowProducts : public PointProducts {
public:
  explicit NarrowProducts(const Problem &problem);

  size_t pack(const Problem &problem, const void *const *operands) override;
  bool readsNarrow() const override { return true; }
  bool makeWhole() override;
  size_t scratchBytes(int threads) const override;
  bool hasBegin() const override { return isWhole; }
  void begin(PointShare share, char *scratch) const override;
  void multiply(const PointTiles &tiles, PointShare share, Kernel::Bytes next,
                char *scratch) const override;
  Kernel::Bytes readsFirst(PointShare share) const override;

private:
  int64_t widthOf(int64_t panel) const;
  int64_t weightFloats() const;
  int64_t tapFloats() const;
  Kernel::Bytes bytesOf(int64_t panel, Range some) const;
  /// The weights of a panel, or those that a thread has at hand.
  float *weightsIn(char *scratch, int64_t number) const {
    return reinterpret_cast<float *>(scratch) + number * weightFloats();
  }
  /// Panels, and rows of points.
  struct Part {
    Range panels, rows;
  };
  Part partFor(PointShare share) const;
  void multiplyPanel(int64_t panel, Range rows, const PointTiles &tiles,
                     Kernel::Bytes next, float *weights) const;
  void multiplySome(int64_t panel, const PointTiles &tiles, Range some,
                    Range points, Kernel::Bytes next,
                    const float *weights) const;

  int64_t side, channels, filters;
  int64_t together; ///< channels whose weights are at the points at once
  bool isWhole = false;
  PackedWeights taps; ///< rows: the taps of channel after channel
};
} // namespace

NarrowProducts::NarrowProducts(const Problem &problem)
    : side(problem.attrs.winograd.tile + 2),
      channels(problem.inputs[1].dims[1]), filters(problem.inputs[1].dims[0]),
      together(channels),
      taps(*problem.narrow, channels * tapsOfChannel, filters) {
  const int64_t each = (tapsOfChannel + side) * panelColumns * floatBytes,
                most = std::clamp<int64_t>(bytesAtOnce / each, 1, channels),
                parts = (channels + most - 1) / most;
  together = (channels + parts - 1) / parts;
}

bool NarrowProducts::makeWhole() {
  isWhole =
      side * side * channels * taps.panels() * panelColumns * floatBytes <=
      wholeBytes;
  if (isWhole)
    together = channels;
  return isWhole;
}

/// Whether the taps lie row by row, with scales of filters.
static bool canKeep(const Problem &problem) {
  if (!problem.narrow)
    return false;
  const Narrow &narrow = *problem.narrow;
  const npu_tensor_desc &w = problem.inputs[1];
  const int64_t dims[] = {w.dims[0], w.dims[1], 3, 3};
  const npu_tensor_desc rowMajor = makeTensor(narrow.numbers.dtype, dims, 4);
  return sameStorage(narrow.numbers, rowMajor) && narrow.isAlong(0);
}

std::unique_ptr<PointProducts> createNarrowProducts(const Problem &problem) {
  if (canKeep(problem))
    return std::make_unique<NarrowProducts>(problem);
  return nullptr;
}

size_t NarrowProducts::pack(const Problem &problem,
                            const void *const * /*operands*/) {
  std::vector<int64_t> down(static_cast<size_t>(channels * tapsOfChannel));
  for (size_t k = 0; k < down.size(); ++k)
    down[k] = static_cast<int64_t>(k);
  return taps.pack(*problem.narrow, "taps of channels", down,
                   channels * tapsOfChannel, problem.threads);
}

int64_t NarrowProducts::widthOf(int64_t panel) const {
  const int64_t columns =
      std::min(panelColumns, filters - panel * panelColumns);
  return columns <= panelColumns / 2 ? panelColumns / 2 : panelColumns;
}

/// Of a panel: at all points, or at a row of them and the taps.
int64_t NarrowProducts::weightFloats() const {
  const int64_t row = side * apart(panelColumns, together);
  return isWhole ? side * row : row + tapFloats();
}
int64_t NarrowProducts::tapFloats() const {
  return tapsOfChannel * panelColumns * together;
}

size_t NarrowProducts::scratchBytes(int threads) const {
  const int64_t parts = isWhole ? taps.panels() : threads;
  return aligned(static_cast<size_t>(parts * weightFloats() * floatBytes));
}

/// Taps of some channels, rows of a panel, to a row of points, each of which
/// has a row of weights for each channel and is `step` floats from the next.
template <int Tile, int Row>
static NPU_WIDE_ONLY void toRow(const float *taps, int64_t count, int64_t width,
                                float *out, int64_t step) {
  constexpr int side = Winograd<Tile>::points;
  for (int64_t c = 0; c < count; ++c, out += width)
    for (int64_t n = 0; n < width; n += lanes) {
      const float *from = taps + c * tapsOfChannel * panelColumns + n;
      Vector half[3], at[side];
      for (int column = 0; column < 3; ++column) {
        Vector in[3];
        for (int i = 0; i < 3; ++i)
          std::memcpy(&in[i], from + (i * 3 + column) * panelColumns,
                      sizeof(in[i]));
        Winograd<Tile>::template weight<Vector, float>(in, at);
        half[column] = at[Row];
      }
      Winograd<Tile>::template weight<Vector, float>(half, at);
      for (int i = 0; i < side; ++i)
        std::memcpy(out + i * step + n, &at[i], sizeof(at[i]));
    }
}

using ToRow = void(const float *, int64_t, int64_t, float *, int64_t);
constexpr ToRow *toRowOf2[] = {toRow<2, 0>, toRow<2, 1>, toRow<2, 2>,
                               toRow<2, 3>};
constexpr ToRow *toRowOf4[] = {toRow<4, 0>, toRow<4, 1>, toRow<4, 2>,
                               toRow<4, 3>, toRow<4, 4>, toRow<4, 5>};

static ToRow *toRowFor(int64_t side, int64_t row) {
  return side == 4 ? toRowOf2[row] : toRowOf4[row];
}

void NarrowProducts::begin(PointShare share, char *scratch) const {
  float real[channelsAtOnce * tapsOfChannel * panelColumns];
  const Range mine = shareOf(taps.panels(), share.thread, share.threads);
  for (int64_t panel = mine.begin; panel < mine.end; ++panel) {
    float *weights = weightsIn(scratch, panel);
    const int64_t width = widthOf(panel), step = apart(width, channels);
    for (int64_t c = 0; c < channels; c += channelsAtOnce) {
      const int64_t end = std::min(c + channelsAtOnce, channels);
      taps.unpack(panel, c * tapsOfChannel, end * tapsOfChannel, real);
      for (int64_t row = 0; row < side; ++row)
        toRowFor(side, row)(real, end - c, width,
                            weights + row * side * step + c * width, step);
    }
  }
}

NarrowProducts::Part NarrowProducts::partFor(PointShare share) const {
  if (isWhole || side % share.threads != 0)
    return {shareOf(taps.panels(), share.thread, share.threads), {0, side}};
  return {{0, taps.panels()}, shareOf(side, share.thread, share.threads)};
}

Kernel::Bytes NarrowProducts::readsFirst(PointShare share) const {
  const Part part = partFor(share);
  if (part.panels.begin >= part.panels.end)
    return {};
  return bytesOf(part.panels.begin, {0, together});
}

Kernel::Bytes NarrowProducts::bytesOf(int64_t panel, Range some) const {
  return taps.bytesOf(panel, some.begin * tapsOfChannel,
                      some.end * tapsOfChannel);
}

void NarrowProducts::multiply(const PointTiles &tiles, PointShare share,
                              Kernel::Bytes next, char *scratch) const {
  const Part part = partFor(share);
  for (int64_t panel = part.panels.begin; panel < part.panels.end; ++panel) {
    const bool isLast = panel + 1 == part.panels.end;
    const Kernel::Bytes soon =
        isLast ? next : bytesOf(panel + 1, {0, together});
    if (isWhole)
      multiplySome(panel, tiles, {0, channels}, {0, side * side}, soon,
                   weightsIn(scratch, panel));
    else
      multiplyPanel(panel, part.rows, tiles, soon,
                    weightsIn(scratch, share.thread));
  }
}

/// Some rows of points, whose weights are made of a panel's taps.
void NarrowProducts::multiplyPanel(int64_t panel, Range rows,
                                   const PointTiles &tiles, Kernel::Bytes next,
                                   float *weights) const {
  float *real = weights + side * apart(panelColumns, together);
  const int64_t width = widthOf(panel);
  for (int64_t c = 0; c < channels; c += together) {
    const Range some = {c, std::min(c + together, channels)};
    const int64_t count = some.end - some.begin;
    const Kernel::Bytes soon =
        some.end == channels
            ? next
            : bytesOf(panel,
                      {some.end, std::min(some.end + together, channels)});
    taps.unpack(panel, some.begin * tapsOfChannel, some.end * tapsOfChannel,
                real);
    for (int64_t row = rows.begin; row < rows.end; ++row) {
      toRowFor(side, row)(real, count, width, weights, apart(width, count));
      multiplySome(panel, tiles, some, {row * side, (row + 1) * side},
                   partOf(soon, row - rows.begin, rows.end - rows.begin),
                   weights);
    }
  }
}

/// `weights`: of some channels, from the first of some points on.
void NarrowProducts::multiplySome(int64_t panel, const PointTiles &tiles,
                                  Range some, Range points, Kernel::Bytes next,
                                  const float *weights) const {
  PointProduct one = {};
  one.depth = some.end - some.begin;
  one.isFirst = some.begin == 0;
  one.dataStep = channels;
  one.sumStep = tiles.step;
  for (int64_t p = points.begin; p < points.end; ++p) {
    const int64_t row = p * tiles.count;
    one.weights =
        weights + (p - points.begin) * apart(widthOf(panel), one.depth);
    one.data = tiles.data + row * channels + some.begin;
    one.sums = tiles.products + row * tiles.step + panel * panelColumns;
    one.next = partOf(next, p - points.begin, points.end - points.begin);
    multiplyPoint(one, tiles.used, widthOf(panel));
  }
}

} // namespace npu::kernels
