// SPDX-License-Identifier: Apache-2.0
//
// The fused instructions on a tile of sums, where each works on the number
// before it and on operands that all rows share: unary functions, factors and
// summands of columns or of everything.
#ifndef NPU_KERNELS_MATMUL_TILE_CHAIN_H
#define NPU_KERNELS_MATMUL_TILE_CHAIN_H

#include "kernels/kernel.h"
#include "kernels/matmul/panel_tile.h"
#include "kernels/parallel.h"
#include "kernels/support/interpreter.h"

namespace npu::kernels {

class TileChain {
public:
  /// `problem` has the instructions and a result of so many columns, the last
  /// dimension.
  TileChain(const Problem &problem, int64_t columns);

  /// Whether its instructions are such a chain; without it nothing else is
  /// called.
  bool isOne() const { return isChain; }

  /// Scratch of one thread.
  size_t valueBytes() const;

  /// Loads what all rows of some columns read.
  void begin(void *const *operands, void *values, Range columns) const;

  /// Where the sums of row `i` of a tile of `columns` are wanted.
  float *sumsIn(void *values, int64_t i, int64_t columns) const;

  /// Runs on all rows of the tile and copies them to `results`.
  void run(void *values, int64_t columns, int64_t count,
           float *const *results) const;

private:
  const Row *valueOf(const Row *values, const Row *sums, int16_t value) const;

  std::vector<npu_instr> instrs;
  std::vector<npu_tensor_desc> inputs;
  std::vector<int> shared; ///< by operand: which row of values it is, or -1
  int64_t sharedCount = 0;
  bool isChain = true;
};

} // namespace npu::kernels

#endif // NPU_KERNELS_MATMUL_TILE_CHAIN_H
