// SPDX-License-Identifier: Apache-2.0
//
// The chip's time of one kernel: the one function that the layout search
// minimises and the simulator reports.
#ifndef NPU_COST_KERNEL_TIME_H
#define NPU_COST_KERNEL_TIME_H

#include "cost/mac_array.h"

#include <vector>

namespace npu::cost {

/// One tensor on its way between DRAM and the chip.
struct Transfer {
  double bytes = 0; ///< as stored, padding included
  /// Bytes that lie next to each other in the innermost transfer.
  double run = 0;
  /// Neighbours of the one side of a relayout lie apart on the other.
  bool scattered = false;
};

/// Bytes of full bursts that take as long as the transfer.
double chargedBytes(const Transfer &transfer, const Machine &machine);

/// What a kernel does in the layouts that it has. Lanes that only pad a block
/// are computed and moved like all others.
struct KernelWork {
  std::vector<Product> products;
  double usefulMacs = 0; ///< without padding
  double elements = 0;   ///< vector operations on one element each
  std::vector<Transfer> reads, writes;
  /// How many times longer the chip takes in this layout than in its best.
  double factor = 1;

  double bytes() const;
};

enum class Bound { Array, Vector, Dma };
const char *nameOf(Bound bound);

/// Cycles. The total is the larger of computing (array and vector unit, one
/// after the other) and moving, in whole cycles; each includes the start of
/// kernel and transfers.
struct KernelTime {
  int64_t array = 0, vector = 0; ///< parts of compute
  int64_t compute = 0, dma = 0;
  int64_t total = 0;
  Bound bound = Bound::Dma;
};

KernelTime timeOf(const KernelWork &work, const Machine &machine);

/// Useful multiply-adds over those that the array could have done in `cycles`.
double utilisation(const KernelWork &work, int64_t cycles,
                   const Machine &machine);

} // namespace npu::cost

#endif // NPU_COST_KERNEL_TIME_H
