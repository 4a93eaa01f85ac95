// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention/tiles.h"

#include "kernels/support/vectors.h"

#include <immintrin.h>

#include <algorithm>

#define NPU_TILES                                                              \
  __attribute__((target("arch=x86-64-v4,avx512bf16,amx-tile,amx-bf16")))

namespace npu::kernels::attention {

constexpr int64_t tile = 16;                 // rows, and columns of 32 bits
constexpr int64_t tileBytes = 64;            // of a row
constexpr int64_t inTile = tileDepth * tile; // numbers of bf16

void copyRows(const NarrowMatrix &matrix, uint16_t *to) {
  const int64_t step = inTiles(matrix.size);
  for (int64_t row = 0; row < matrix.count; ++row) {
    const uint16_t *from = matrix.rows + row * matrix.step;
    std::fill(std::copy_n(from, matrix.size, to + row * step),
              to + (row + 1) * step, static_cast<uint16_t>(0));
  }
  std::fill(to + matrix.count * step, to + inTiles(matrix.count) * step,
            static_cast<uint16_t>(0));
}

/// 16 rows of 32 numbers from (row, at) on, zeros where there are none.
static NPU_INLINE void loadTile(const NarrowMatrix &matrix, int64_t row,
                                int64_t at, Vector *rows) {
  const int64_t count = std::clamp<int64_t>(matrix.count - row, 0, tile),
                length = std::clamp<int64_t>(matrix.size - at, 0, tileDepth);
  for (int64_t i = 0; i < tile; ++i) {
    const uint16_t *from = matrix.rows + (row + i) * matrix.step + at;
    rows[i] = Vector{};
    if (i < count && length == tileDepth)
      std::memcpy(&rows[i], from, sizeof(Vector));
    else if (i < count)
      std::memcpy(&rows[i], from,
                  static_cast<size_t>(length) * sizeof(uint16_t));
  }
}

NPU_TILES void packKeyTiles(const NarrowMatrix &matrix, uint16_t *to) {
  const int64_t steps = inTiles(matrix.size) / tileDepth;
  for (int64_t row = 0; row < inTiles(matrix.count); row += tileBlock)
    for (int64_t step = 0; step < steps; ++step)
      for (int64_t part = 0; part < tileBlock; part += tile, to += inTile) {
        Vector rows[tile]; // a lane is a pair of the depth
        loadTile(matrix, row + part, step * tileDepth, rows);
        transpose(rows);
        std::memcpy(to, rows, sizeof(rows));
      }
}

/// Two rows of 16 numbers as 16 pairs.
static NPU_INLINE void pairRows(const uint16_t *first, const uint16_t *second,
                                uint16_t *to) {
  using Half = uint16_t __attribute__((vector_size(tile * 2)));
  Half a, b;
  std::memcpy(&a, first, sizeof(a));
  std::memcpy(&b, second, sizeof(b));
  auto pairs = __builtin_shufflevector(
      a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23, 8, 24, 9,
      25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  std::memcpy(to, &pairs, sizeof(pairs));
}

NPU_TILES void packValueTiles(const NarrowMatrix &matrix, uint16_t *to) {
  uint16_t spare[2][tile];
  for (int64_t column = 0; column < inTiles(matrix.size); column += tileBlock)
    for (int64_t row = 0; row < inTiles(matrix.count); row += tileDepth)
      for (int64_t part = 0; part < tileBlock; part += tile) {
        const int64_t columns =
            std::clamp<int64_t>(matrix.size - column - part, 0, tile);
        for (int64_t pair = row; pair < row + tileDepth; pair += 2, to += 32) {
          const uint16_t *from[2];
          for (int64_t i = 0; i < 2; ++i) {
            from[i] = matrix.rows + (pair + i) * matrix.step + column + part;
            if (pair + i < matrix.count && columns == tile)
              continue;
            std::fill_n(spare[i], tile, static_cast<uint16_t>(0));
            if (pair + i < matrix.count)
              std::copy_n(from[i], columns, spare[i]);
            from[i] = spare[i];
          }
          pairRows(from[0], from[1], to);
        }
      }
}

/// Of the upper 16 rows alone, or of all.
template <bool IsLow>
static NPU_TILES NPU_INLINE void
multiplySteps(const uint16_t *rows, int64_t step, const uint16_t *panel,
              int64_t steps, float *sums, int64_t sumStep) {
  const auto rowBytes = static_cast<size_t>(step) * sizeof(uint16_t),
             sumBytes = static_cast<size_t>(sumStep) * sizeof(float);
  _tile_zero(0);
  _tile_zero(1);
  if constexpr (!IsLow) {
    _tile_zero(2);
    _tile_zero(3);
  }
  for (int64_t i = 0; i < steps; ++i, rows += tileDepth, panel += panelStep) {
    _tile_loadd(4, rows, rowBytes);
    _tile_loadd(6, panel, tileBytes);
    _tile_loadd(7, panel + inTile, tileBytes);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    if constexpr (!IsLow) {
      _tile_loadd(5, rows + tile * step, rowBytes);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
  }
  _tile_stored(0, sums, sumBytes);
  _tile_stored(1, sums + tile, sumBytes);
  if constexpr (!IsLow) {
    _tile_stored(2, sums + tile * sumStep, sumBytes);
    _tile_stored(3, sums + tile * sumStep + tile, sumBytes);
  }
}

NPU_TILES void multiplyTiles(const uint16_t *rows, int64_t step, bool isLow,
                             const uint16_t *panel, int64_t steps, float *sums,
                             int64_t sumStep) {
  if (isLow)
    multiplySteps<true>(rows, step, panel, steps, sums, sumStep);
  else
    multiplySteps<false>(rows, step, panel, steps, sums, sumStep);
}

NPU_TILES void roundWeights(const float *from, uint16_t *to, int64_t count) {
  for (int64_t i = 0; i < count; i += 2 * lanes) {
    const __m512bh both = _mm512_cvtne2ps_pbh(_mm512_loadu_ps(from + i + lanes),
                                              _mm512_loadu_ps(from + i));
    std::memcpy(to + i, &both, sizeof(both));
  }
}

NPU_TILES void scaleRounded(const float *from, float factor, uint16_t *to,
                            int64_t count) {
  for (int64_t i = 0; i < count; i += lanes) {
    const __m256bh some = _mm512_cvtneps_pbh(
        _mm512_mul_ps(_mm512_loadu_ps(from + i), _mm512_set1_ps(factor)));
    std::memcpy(to + i, &some,
                static_cast<size_t>(std::min(lanes, count - i)) *
                    sizeof(uint16_t));
  }
}

} // namespace npu::kernels::attention
