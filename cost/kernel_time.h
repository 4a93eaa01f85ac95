// SPDX-License-Identifier: Apache-2.0
//
// The chip's time of one kernel: the one function that the layout search
// minimises and the simulator reports.
#ifndef NPU_COST_KERNEL_TIME_H
#define NPU_COST_KERNEL_TIME_H

#include "cost/tiling.h"

namespace npu::cost {

enum class Bound { Array, Vector, Dma, OnChip, Processor, Link };
const char *nameOf(Bound bound);

/// Cycles. The total is the makespan of the kernel's own program: its first
/// load, then computing and what its buffers let move meanwhile, then its last
/// store (makespan.h); with `overlap: all`, or where on-chip memory is not
/// modelled, the longest of computing (array and vector unit, one after the
/// other or beside each other), moving, and what on-chip memory takes. Each
/// includes the start of kernel and transfers. Kernels follow each other, so
/// that a network's time is the sum of theirs.
struct KernelTime {
  int64_t array = 0, vector = 0; ///< parts of compute
  int64_t compute = 0;
  /// Starts of transfers, rows and bursts. Of dma: their sum, or the larger
  int64_t dmaIn = 0, dmaOut = 0;
  int64_t dma = 0;    ///< of two channels, or the transpose engine
  int64_t onChip = 0; ///< of on-chip memory; 0 where it has no bandwidth
  int64_t total = 0;
  /// The longest of compute, dma and onChip: no cut ever makes it shorter.
  int64_t least = 0;
  Bound bound = Bound::Dma;
  double dramRead = 0, dramWritten = 0; ///< bytes
  /// Instead of all that, where the processor runs the kernel: the total is
  /// their sum.
  int64_t processor = 0, link = 0;
  /// The total, if it was measured, or scaled; else 0.
  int64_t measured = 0, scaled = 0;

  /// Cycles in which nothing is computed: waiting for the DMA, on-chip memory.
  int64_t stall() const { return total - compute; }
};

/// Whether a kernel's time depends on its buffers.
bool overlapsTiles(const Machine &machine);

/// By the model alone: what tilings are compared by.
KernelTime modelTimeOf(const KernelWork &work, const Tiling &tiling,
                       const Machine &machine);

/// Of a kernel that was measured, or is scaled by others that were, the total
/// is that; the other numbers are the model's in proportion.
KernelTime timeOf(const KernelWork &work, const Tiling &tiling,
                  const Machine &machine);
/// More than any kernel that fits takes: added where no tiling does.
inline constexpr int64_t doesNotFit = int64_t(1) << 40;

/// In the best tiling.
KernelTime timeOf(const KernelWork &work, const Machine &machine);

/// Bytes that array and vector unit read from on-chip memory and write there;
/// where a relayout's value stays on the chip, the DMA. What the DMA fills and
/// empties besides is the DRAM's bytes. Sums that are not complete have 4 bytes
/// and are read before they are continued, unless the chip says `sum_reads:
/// none`.
struct OnChipBytes {
  double read = 0, written = 0;
};
OnChipBytes onChipBytes(const KernelWork &work, const Tiling &tiling,
                        const Machine &machine);

/// In pJ: of multiply-adds, with those that pad blocks, and of all bytes that
/// pass DRAM and on-chip memory; 0 where the chip says nothing of energy.
int64_t energyOf(const KernelWork &work, const Tiling &tiling,
                 const Machine &machine);

/// Where the kernel is computed: "weight-stationary", "depthwise,
/// weight-stationary", "vector unit", "dma", "processor".
std::string mappingOf(const KernelWork &work, const Machine &machine);

/// Useful multiply-adds over those that the array could have done in `cycles`,
/// at the rate of their type.
double utilisation(const KernelWork &work, int64_t cycles,
                   const Machine &machine);

} // namespace npu::cost

#endif // NPU_COST_KERNEL_TIME_H
