// SPDX-License-Identifier: Apache-2.0
//
// What attention does with some rows: products with packed matrices, and the
// weights that softmax makes of a row of scores.
#ifndef NPU_KERNELS_ATTENTION_ROWS_H
#define NPU_KERNELS_ATTENTION_ROWS_H

#include "kernels/support/vectors.h"

namespace npu::kernels::attention {

/// Rows whose sums are in registers, and columns of each.
constexpr int64_t rowsAtOnce = 12, columnsAtOnce = 2 * lanes;

/// Rows of a matrix as they lie in memory.
struct Matrix {
  const float *rows;
  int64_t step, count, size;
};

/// Its transpose in panels of columnsAtOnce rows, zeros behind the last:
/// [panel][size][row].
void packKeys(const Matrix &matrix, float *to);
/// In panels of columnsAtOnce columns, zeros behind the last:
/// [panel][row][column].
void packValues(const Matrix &matrix, float *to);

/// Rows of data `step` apart, and a panel that has `length` rows, of which so
/// many columns are wanted.
struct Factors {
  const float *data, *panel;
  int64_t step, length, columns;
};

/// Products of `count` rows, at most rowsAtOnce, with the panel's columns, up
/// to the end of the last vector.
void multiplyRows(const Factors &factors, int64_t count, float *sums,
                  int64_t sumStep);

/// What is added to a row of scores, or says which of them count; or neither.
struct Mask {
  const float *added = nullptr;
  const uint8_t *isOpen = nullptr;
  float fill = 0;
  int64_t across = 1; // 0: one for all of the row
};

/// exp(score * scale + mask - largest) of `count` scores, 0 of others up to
/// `reach`; returns 1 by their sum. Scores lie in whole vectors.
float weighRow(float *scores, int64_t count, int64_t reach, float scale,
               const Mask &mask);

void scaleRow(const float *from, float factor, float *to, int64_t count);

} // namespace npu::kernels::attention

#endif // NPU_KERNELS_ATTENTION_ROWS_H
