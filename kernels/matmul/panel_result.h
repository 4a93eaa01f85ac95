// SPDX-License-Identifier: Apache-2.0
//
// What becomes of the sums of a few rows of a panel of columns: the fused
// instructions run on them while they are warm, and the result is stored.
#ifndef NPU_KERNELS_MATMUL_PANEL_RESULT_H
#define NPU_KERNELS_MATMUL_PANEL_RESULT_H

#include "kernels/matmul/panel_parameter.h"
#include "kernels/parallel.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace npu::kernels {

/// Where the rows of a tensor begin, and the step along a row.
struct RowMap {
  std::vector<int64_t> at;
  int64_t step = 0;
};

/// Row i becomes the one that was number order[i].
void reorder(RowMap &map, const std::vector<int64_t> &order);

/// Rows of `tensor` as `target` has them; false where a row has no one step.
bool mapRows(const npu_tensor_desc &tensor, const npu_tensor_desc &target,
             RowMap &map);

/// Whether it has one f32 for each of so many columns, or one for all.
bool isOfColumns(const npu_tensor_desc &tensor, int64_t columns);

/// The numbers of some columns of such an operand.
void loadColumns(const npu_tensor_desc &tensor, const void *operand,
                 Range columns, float *to);

/// Of a row of a panel. A call for each would take as long as the copy.
inline void copyColumns(const float *from, int64_t count, float *to) {
  if (count == panelColumns)
    std::memcpy(to, from, panelColumns * sizeof(float));
  else
    std::copy_n(from, count, to);
}

/// The rows of the data of a product; false where a row has no one step.
bool mapData(const Problem &problem, RowMap &data);

class PanelResult {
public:
  explicit PanelResult(const Problem &p) : problem(p) {}

  /// False with a reason where an operand cannot be read row by row.
  bool prepare(std::string &whyNot);

  /// From now on rows are counted so: number i is what order[i] was.
  void reorder(const std::vector<int64_t> &order);

  /// Scratch of one thread.
  size_t valueBytes() const;

  /// Loads what all rows of a panel read.
  void begin(void *const *operands, void *values, int64_t panel) const;

  /// Where store() wants the sums of up to `strip` rows of the panel.
  float *sumsIn(void *values) const;

  /// The sums are of `count` rows of the panel, the first of them row `row`.
  void store(void *const *operands, void *values, int64_t panel, int64_t row,
             int64_t count) const;

private:
  /// A value that instructions read or make.
  struct Slot {
    int32_t dtype = NPU_F32;
    int input = -1; // the operand that it is loaded from
    RowMap rows;
    bool isOneRow = false; // that all rows read
  };

  bool prepareOperand(int16_t value);
  int columnsOf(int64_t panel) const;

  Problem problem;
  RowMap result;
  std::vector<Slot> slots; // by value number
};

} // namespace npu::kernels

#endif // NPU_KERNELS_MATMUL_PANEL_RESULT_H
