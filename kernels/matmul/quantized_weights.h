// SPDX-License-Identifier: Apache-2.0
//
// Packed integers in the order in which processors multiply bytes: groups of 4
// of the depth beside each other, for 64 columns. All are without a sign, so
// that the data may have one; the zero points follow.
#ifndef NPU_KERNELS_MATMUL_QUANTIZED_WEIGHTS_H
#define NPU_KERNELS_MATMUL_QUANTIZED_WEIGHTS_H

#include "kernels/matmul/panel_parameter.h"
#include "kernels/matmul/quantized_factors.h"
#include "kernels/support/access.h"

namespace npu::kernels {

class QuantizedWeights {
public:
  /// Of a problem that hasPackedWeights() of integers, which are constants.
  explicit QuantizedWeights(const Problem &problem);

  /// How the rows of data are cut.
  const RowCut &rowCut() const { return cut; }
  int64_t panels() const;

  /// Brings the operands into panels; returns the bytes.
  size_t pack(const Problem &problem, const void *const *operands);

  /// Scratch of one thread for the panel that it multiplies by.
  size_t panelBytes() const;

  /// A panel made ready: numbers of fewer bits as bytes, unless `isHalf`, and
  /// parameters as floats.
  struct Panel {
    const uint8_t *bytes; // [group][column][4]
    const float *scales;  // [block][column]
    const float *zeros;   // likewise; null: all have one
    bool isHalf;          // numbers of four bits as they are stored
  };
  /// `isOnce`: multiplied by so few rows that bytes would not be worth it.
  Panel prepare(int64_t panel, bool isOnce, void *scratch) const;

  /// sums[i][column] of `count` rows from row `first` on.
  void multiply(const Panel &panel, const QuantizedRows &data, int64_t first,
                int64_t count, float *sums) const;

  /// How deep the TileScope is for multiplyByTiles(); 0: there is none.
  int64_t tileSteps() const { return groupsOfTile; }
  /// The same of byteTileRows rows, of a panel that is not `isHalf`.
  void multiplyByTiles(const Panel &panel, const QuantizedRows &data,
                       int64_t first, float *sums) const;

private:
  QuantizedFactors factorsOf(const Panel &panel, const QuantizedRows &data,
                             int64_t first) const;
  void packPanel(const uint8_t *from, const DimMap &down, const DimMap &along,
                 int64_t panel, uint8_t *to) const;

  RowCut cut;
  int64_t bits; // of a number
  int32_t flip; // what takes the sign from a byte
  int64_t rows, columns, block, blocks;
  int64_t groups, units; // of 4 of the depth; of groups that share bytes
  int64_t groupsOfTile;
  PanelParameter scales, zeros;
  std::shared_ptr<void> numbers; // [panel][unit][column][4]
};

} // namespace npu::kernels

#endif // NPU_KERNELS_MATMUL_QUANTIZED_WEIGHTS_H
