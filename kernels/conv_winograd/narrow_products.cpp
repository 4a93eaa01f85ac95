// SPDX-License-Identifier: Apache-2.0

#include "kernels/conv_winograd/narrow_products.h"

#include "kernels/conv_winograd/transforms.h"
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
constexpr int64_t lineBytes = 64; ///< of a cache

static constexpr auto floatBytes = static_cast<int64_t>(sizeof(float));

namespace {
/// Rows of data times the weights of some channels at one point.
struct PointProduct {
  const float *data, *weights;
  float *sums;
  int64_t dataStep, sumStep; ///< between rows
  int64_t depth;
  bool isFirst;       ///< nothing is in the sums yet
  Kernel::Bytes next; ///< what is read soon
};
} // namespace

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

NarrowProducts::NarrowProducts(const Problem &problem)
    : side(problem.attrs.winograd.tile + 2),
      channels(problem.inputs[1].dims[1]), filters(problem.inputs[1].dims[0]),
      together(channels), isWhole(false),
      taps(*problem.narrow, channels * tapsOfChannel, filters) {
  const int64_t each = (tapsOfChannel + side) * panelColumns * floatBytes,
                most = std::clamp<int64_t>(bytesAtOnce / each, 1, channels),
                parts = (channels + most - 1) / most;
  together = (channels + parts - 1) / parts;
}

bool NarrowProducts::makeWhole() {
  isWhole = side * side * channels * panels() * panelColumns * floatBytes <=
            wholeBytes;
  if (isWhole)
    together = channels;
  return isWhole;
}

std::string NarrowProducts::whyNot(const Problem &problem) {
  if (!problem.narrow)
    return "weights that are made of floats";
  const Narrow &narrow = *problem.narrow;
  const npu_tensor_desc &w = problem.inputs[1];
  const int64_t dims[] = {w.dims[0], w.dims[1], 3, 3};
  const npu_tensor_desc rowMajor = makeTensor(narrow.numbers.dtype, dims, 4);
  if (!__builtin_cpu_supports("x86-64-v4"))
    return "a processor without registers of 512 bits";
  if (!sameStorage(narrow.numbers, rowMajor) ||
      ((narrow.scales || narrow.offsets) && narrow.dim != 0))
    return "taps in another order, or with scales of channels";
  return "";
}

size_t NarrowProducts::pack(const Problem &problem) {
  std::vector<int64_t> down(static_cast<size_t>(channels * tapsOfChannel));
  for (size_t k = 0; k < down.size(); ++k)
    down[k] = static_cast<int64_t>(k);
  return taps.pack(*problem.narrow, "taps of channels", down,
                   channels * tapsOfChannel, problem.threads);
}

int64_t NarrowProducts::columnsOf(int64_t panel) const {
  return std::min(panelColumns, filters - panel * panelColumns);
}
int64_t NarrowProducts::widthOf(int64_t panel) const {
  return (columnsOf(panel) + lanes - 1) / lanes * lanes;
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
  const int64_t parts = isWhole ? panels() : threads;
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

void NarrowProducts::begin(int64_t panel, char *scratch) const {
  if (!isWhole)
    return;
  float real[channelsAtOnce * tapsOfChannel * panelColumns];
  float *weights = reinterpret_cast<float *>(scratch) + panel * weightFloats();
  const int64_t width = widthOf(panel), step = apart(width, channels);
  for (int64_t c = 0; c < channels; c += channelsAtOnce) {
    const int64_t end = std::min(c + channelsAtOnce, channels);
    taps.unpack(panel, c * tapsOfChannel, end * tapsOfChannel, real);
    for (int64_t row = 0; row < side; ++row)
      toRowFor(side, row)(real, end - c, width,
                          weights + row * side * step + c * width, step);
  }
}

Kernel::Bytes NarrowProducts::readsFirst(int64_t panel) const {
  return bytesOf(panel, {0, together});
}

Kernel::Bytes NarrowProducts::bytesOf(int64_t panel, Range some) const {
  return taps.bytesOf(panel, some.begin * tapsOfChannel,
                      some.end * tapsOfChannel);
}

void NarrowProducts::multiply(int64_t panel, const Tiles &tiles, int thread,
                              Kernel::Bytes next, char *scratch) const {
  float *weights = reinterpret_cast<float *>(scratch) +
                   (isWhole ? panel : thread) * weightFloats();
  if (isWhole)
    return multiplySome(panel, tiles, {0, channels}, {0, side * side}, next,
                        weights);
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
    for (int64_t row = 0; row < side; ++row) {
      toRowFor(side, row)(real, count, width, weights, apart(width, count));
      multiplySome(panel, tiles, some, {row * side, (row + 1) * side},
                   partOf(soon, row, side), weights);
    }
  }
}

static NPU_INLINE NPU_WIDE_ONLY Vector load(const float *from) {
  Vector value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

/// `Rows` rows of data times a panel `Wide` vectors wide.
template <int64_t Wide, int64_t Rows>
static NPU_INLINE NPU_WIDE_ONLY void tileOf(const PointProduct &p,
                                            int64_t row) {
  constexpr int64_t rowsAhead = 16;
  const float *data = p.data + row * p.dataStep, *weights = p.weights;
  float *to = p.sums + row * p.sumStep;
  Vector sums[Rows][Wide];
#pragma clang loop unroll(full)
  for (int64_t r = 0; r < Rows; ++r)
#pragma clang loop unroll(full)
    for (int64_t v = 0; v < Wide; ++v)
      sums[r][v] = p.isFirst ? Vector{} : load(to + r * p.sumStep + v * lanes);
  for (int64_t k = 0; k < p.depth; ++k, weights += Wide * lanes) {
    Vector numbers[Wide];
#pragma clang loop unroll(full)
    for (int64_t v = 0; v < Wide; ++v) {
      numbers[v] = load(weights + v * lanes);
      __builtin_prefetch(weights + (rowsAhead * Wide + v) * lanes);
    }
#pragma clang loop unroll(full)
    for (int64_t r = 0; r < Rows; ++r)
#pragma clang loop unroll(full)
      for (int64_t v = 0; v < Wide; ++v)
        sums[r][v] += data[r * p.dataStep + k] * numbers[v];
  }
#pragma clang loop unroll(full)
  for (int64_t r = 0; r < Rows; ++r)
#pragma clang loop unroll(full)
    for (int64_t v = 0; v < Wide; ++v)
      std::memcpy(to + r * p.sumStep + v * lanes, &sums[r][v], sizeof(Vector));
}

/// Rows [row, end), as many as a tile has or fewer.
template <int64_t Wide, int64_t Most>
static NPU_INLINE NPU_WIDE_ONLY void tileOfRows(const PointProduct &p,
                                                int64_t row, int64_t end) {
  if constexpr (Most > 1)
    if (end - row < Most)
      return tileOfRows<Wide, Most - 1>(p, row, end);
  tileOf<Wide, Most>(p, row);
}

template <int64_t Wide>
static NPU_WIDE_ONLY void multiplyRows(const PointProduct &p, int64_t rows) {
  constexpr int64_t most = std::min<int64_t>(8, (32 - Wide - 1) / Wide);
  const int64_t tiles = (rows + most - 1) / most;
  const auto bytes = static_cast<int64_t>(p.next.count);
  for (int64_t t = 0; t < tiles; ++t) {
    tileOfRows<Wide, most>(p, rows * t / tiles, rows * (t + 1) / tiles);
    for (int64_t at = bytes * t / tiles; at < bytes * (t + 1) / tiles;
         at += lineBytes)
      __builtin_prefetch(p.next.first + at, 0, 2);
  }
}

static void multiplyPoint(const PointProduct &p, int64_t rows, int64_t width) {
  switch (width / lanes) {
  case 1:
    return multiplyRows<1>(p, rows);
  case 2:
    return multiplyRows<2>(p, rows);
  case 3:
    return multiplyRows<3>(p, rows);
  default:
    return multiplyRows<4>(p, rows);
  }
}

/// `weights`: of some channels, from the first of some points on.
void NarrowProducts::multiplySome(int64_t panel, const Tiles &tiles, Range some,
                                  Range points, Kernel::Bytes next,
                                  const float *weights) const {
  PointProduct one = {};
  one.depth = some.end - some.begin;
  one.isFirst = some.begin == 0;
  one.dataStep = channels;
  one.sumStep = tiles.step;
  for (int64_t p = points.begin; p < points.end; ++p) {
    const int64_t row = p * tiles.count + tiles.rows.begin;
    one.weights =
        weights + (p - points.begin) * apart(widthOf(panel), one.depth);
    one.data = tiles.data + row * channels + some.begin;
    one.sums = tiles.products + row * tiles.step + panel * panelColumns;
    one.next = partOf(next, p - points.begin, points.end - points.begin);
    multiplyPoint(one, tiles.rows.end - tiles.rows.begin, widthOf(panel));
  }
}

} // namespace npu::kernels
