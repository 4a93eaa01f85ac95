// SPDX-License-Identifier: Apache-2.0
//
// What passes between DRAM and the chip, and how long the DMA takes for it.
#ifndef NPU_COST_DMA_H
#define NPU_COST_DMA_H

#include "cost/makespan.h"
#include "cost/tiling.h"

namespace npu::cost {

/// The DMA itself makes relayouts, wherever the value lies.
bool isByDma(const KernelWork &work);

/// Bytes of full bursts that take as long as moving the transfer once, without
/// a transpose engine.
double chargedBytes(const Transfer &transfer, const Machine &machine);

/// Cycles of the DMA for one kernel; each transfer of a tile pays its start.
struct Moving {
  double in = 0, out = 0; ///< of each direction by itself
  double cycles = 0;      ///< of both, or of the transpose engine
  /// Before the first tile is there.
  double first = 0;
  double dramRead = 0, dramWritten = 0; ///< bytes
  Arrivals loads, stores;
  double steps = 1; ///< tiles, as often as an algorithm goes over them
};
Moving moving(const KernelWork &work, const Tiling &tiling,
              const Machine &machine);

} // namespace npu::cost

#endif // NPU_COST_DMA_H
