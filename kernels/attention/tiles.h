// SPDX-License-Identifier: Apache-2.0
//
// Products of bf16 in AMX's tiles: 32 rows with 32 columns at a time, summed in
// f32. Only where hasTiles() says that there are any.
#ifndef NPU_KERNELS_ATTENTION_TILES_H
#define NPU_KERNELS_ATTENTION_TILES_H

#include <cstdint>

namespace npu::kernels::attention {

/// Rows and columns of a block of four tiles, and how deep one step goes.
constexpr int64_t tileBlock = 32, tileDepth = 32;
/// Elements of the two tiles that a step multiplies by.
constexpr int64_t panelStep = tileBlock * tileDepth;

/// To whole blocks.
constexpr int64_t inTiles(int64_t count) {
  return (count + tileBlock - 1) / tileBlock * tileBlock;
}

/// Rows of bf16 as they lie in memory.
struct NarrowMatrix {
  const uint16_t *rows;
  int64_t step, count, size;
};

/// inTiles(count) rows of inTiles(size) numbers, zeros where it has none.
void copyRows(const NarrowMatrix &matrix, uint16_t *to);

/// What rows are multiplied by, inTiles(count) * inTiles(size) numbers, zeros
/// where it has none. Of keys each row is a column of the product:
/// [block of columns][step of the depth][tile][pair of the depth][column][2].
void packKeyTiles(const NarrowMatrix &matrix, uint16_t *to);
/// Of values each row is a step of the depth.
void packValueTiles(const NarrowMatrix &matrix, uint16_t *to);

/// Products of 32 rows (of 16 where `isLow`) of inTiles numbers `step` apart
/// with one block of columns, `steps` deep.
void multiplyTiles(const uint16_t *rows, int64_t step, bool isLow,
                   const uint16_t *panel, int64_t steps, float *sums,
                   int64_t sumStep);

/// Rounds `count` numbers, a multiple of 32.
void roundWeights(const float *from, uint16_t *to, int64_t count);

/// Numbers times a factor, as bf16.
void scaleRounded(const float *from, float factor, uint16_t *to, int64_t count);

} // namespace npu::kernels::attention

#endif // NPU_KERNELS_ATTENTION_TILES_H
