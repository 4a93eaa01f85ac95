// SPDX-License-Identifier: Apache-2.0

#include "kernels/conv_winograd/point_tile.h"

#include "kernels/support/vectors.h"

#include <algorithm>

namespace npu::kernels {

constexpr int64_t lineBytes = 64; ///< of a cache

static NPU_INLINE NPU_WIDE_ONLY Vector load(const float *from) {
  Vector value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

namespace {
/// What is read soon: a line for each step of the depth, or always the same.
struct Soon {
  const char *next;
  int64_t step;
};
} // namespace

/// `Rows` rows of data times a panel `Wide` vectors wide.
template <int64_t Wide, int64_t Rows>
static NPU_INLINE NPU_WIDE_ONLY void tileOf(const PointProduct &p, int64_t row,
                                            Soon soon) {
  constexpr int64_t rowsAhead = 16;
  const float *data = p.data + row * p.dataStep, *weights = p.weights;
  float *to = p.sums + row * p.sumStep;
  Vector sums[Rows][Wide];
#pragma clang loop unroll(full)
  for (int64_t r = 0; r < Rows; ++r)
#pragma clang loop unroll(full)
    for (int64_t v = 0; v < Wide; ++v)
      sums[r][v] = p.isFirst ? Vector{} : load(to + r * p.sumStep + v * lanes);
  for (int64_t k = 0; k < p.depth;
       ++k, weights += Wide * lanes, soon.next += soon.step) {
    Vector numbers[Wide];
    __builtin_prefetch(soon.next, 0, 2);
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
static NPU_INLINE NPU_WIDE_ONLY void
tileOfRows(const PointProduct &p, int64_t row, int64_t end, Soon soon) {
  if constexpr (Most > 1)
    if (end - row < Most)
      return tileOfRows<Wide, Most - 1>(p, row, end, soon);
  tileOf<Wide, Most>(p, row, soon);
}

template <int64_t Wide>
static NPU_WIDE_ONLY void multiplyRows(const PointProduct &p, int64_t rows) {
  constexpr int64_t most = 6; // times four vectors fill the registers
  const int64_t tiles = (rows + most - 1) / most;
  // Divided once: a division takes as long as a short tile.
  const int64_t each = rows / tiles, longer = rows % tiles;
  const auto bytes = static_cast<int64_t>(p.next.count);
  for (int64_t t = 0, row = 0; t < tiles; ++t) {
    const int64_t end = row + each + (t < longer ? 1 : 0);
    const int64_t at = t * p.depth * lineBytes;
    const Soon soon = at < bytes
                          ? Soon{p.next.first + at, lineBytes}
                          : Soon{reinterpret_cast<const char *>(p.weights), 0};
    tileOfRows<Wide, most>(p, row, end, soon);
    row = end;
  }
}

void multiplyPoint(const PointProduct &p, int64_t rows, int64_t width) {
  if (width == 2 * lanes)
    multiplyRows<2>(p, rows);
  else
    multiplyRows<4>(p, rows);
}

} // namespace npu::kernels
