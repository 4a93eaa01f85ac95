// SPDX-License-Identifier: Apache-2.0
//
// What no plan for a kernel can be faster than: its floor.
#ifndef NPU_COST_FLOOR_H
#define NPU_COST_FLOOR_H

#include "cost/kernel_work.h"

namespace npu::cost {

/// Cycles that each port of the chip takes at the least, whatever the tiles:
/// bytes as they are stored, of what must be read and written, once, at its
/// bandwidth (of tables the rows that are read, of images what lies under a
/// window), and the multiplications of the cheapest algorithm that the target
/// has, at the array's peak. Of a kernel of the processor all are 0.
struct Floor {
  double array = 0;
  double dramIn = 0, dramOut = 0; ///< by themselves
  double dram = 0;                ///< one after the other, or the larger
  double onChip = 0;              ///< 0 where it has no bandwidth
  /// Of `dramIn` and `dramOut` what the network as a whole cannot do without:
  /// constants, inputs and outputs.
  double boundaryIn = 0, boundaryOut = 0;

  double cycles() const;
};

Floor floorOf(const KernelWork &work, const Machine &machine);

} // namespace npu::cost

#endif // NPU_COST_FLOOR_H
