// SPDX-License-Identifier: Apache-2.0
//
// The fused instructions of a product that a tile does in registers.
#ifndef NPU_KERNELS_MATMUL_PANEL_EPILOGUE_H
#define NPU_KERNELS_MATMUL_PANEL_EPILOGUE_H

#include "kernels/matmul/as_product.h"
#include "kernels/matmul/panel_tile.h"

#include <limits>
#include <vector>

namespace npu::kernels {

/// What happens to sums in registers, in this order, and what is left.
struct PanelEpilogue {
  int bias = -1;  // operand with one number for each column
  int added = -1; // operand that is added row by row
  RowMap addedRows;
  float least = -std::numeric_limits<float>::infinity();
  float most = std::numeric_limits<float>::infinity();
  Activation activation = Activation::None;
  float alpha = 0, beta = 0;
  int factors = -1, summands = -1; // operands like the bias, or of one number
  /// The other instructions, whose product is what came out of the registers.
  std::vector<npu_instr> rest;
};

/// Takes as many of the product's instructions as come in that order, and whose
/// results in between nobody reads.
PanelEpilogue epilogueOf(const Product &product);

/// The end of a tile of these columns, whose numbers of operands it reads in
/// `numbers`, [3][width].
TileEnd endOf(const Product &product, const PanelEpilogue &epilogue,
              void *const *operands, Range columns, int64_t width,
              float *numbers);

} // namespace npu::kernels

#endif // NPU_KERNELS_MATMUL_PANEL_EPILOGUE_H
