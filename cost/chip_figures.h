// SPDX-License-Identifier: Apache-2.0
//
// What the chip does in one run of a kernel, and in one of a program: the one
// record of reports, the C API and pages.
#ifndef NPU_COST_CHIP_FIGURES_H
#define NPU_COST_CHIP_FIGURES_H

#include "cost/kernel_time.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace npu::cost {

// X(key): whole numbers of a kernel; npu_kernel_info says what they are.
// The first ones add up to those of a program.
#define NPU_CHIP_SUMS(X)                                                       \
  X(cycles)                                                                    \
  X(compute_cycles)                                                            \
  X(dma_cycles)                                                                \
  X(array_cycles)                                                              \
  X(vector_cycles)                                                             \
  X(dma_in_cycles)                                                             \
  X(dma_out_cycles)                                                            \
  X(stall_cycles)                                                              \
  X(processor_cycles)                                                          \
  X(on_chip_cycles)                                                            \
  X(link_cycles)                                                               \
  X(link_bytes)                                                                \
  X(measured_cycles)                                                           \
  X(scaled_cycles)                                                             \
  X(dram_read_bytes)                                                           \
  X(dram_written_bytes)                                                        \
  X(on_chip_read_bytes)                                                        \
  X(on_chip_written_bytes)                                                     \
  X(tiles)                                                                     \
  X(macs)                                                                      \
  X(energy_pj)                                                                 \
  X(floor_array_cycles)                                                        \
  X(floor_in_cycles)                                                           \
  X(floor_out_cycles)
#define NPU_CHIP_FIGURES(X)                                                    \
  NPU_CHIP_SUMS(X)                                                             \
  X(floor_cycles)                                                              \
  X(resident_bytes)                                                            \
  X(tile_bytes)

#define NPU_CHIP_MEMBER(key) uint64_t key = 0;

// Members are named as in files.
// NOLINTBEGIN(readability-identifier-naming)
struct ChipFigures {
  NPU_CHIP_FIGURES(NPU_CHIP_MEMBER)
  double utilisation = 0; ///< of the array: macs over what it could do
  std::string tiling, mapping;
  const char *bound = "";
};

struct ChipTotals {
  NPU_CHIP_SUMS(NPU_CHIP_MEMBER)
  /// What no plan takes less than: all multiplications, or the network's
  /// constants, inputs and outputs once.
  uint64_t floor_cycles = 0;
  uint64_t relayout_cycles = 0;     ///< of kernels that only move
  uint64_t resident_peak_bytes = 0; ///< of values that stay on the chip
  uint64_t on_chip_peak_bytes = 0;  ///< of those and of tiles
  double ms = 0;
  /// Of the array, each kernel's in its own time: at its type's rate.
  double utilisation = 0;
};
// NOLINTEND(readability-identifier-naming)
#undef NPU_CHIP_MEMBER

ChipFigures figuresOf(const KernelWork &work, const Tiling &tiling,
                      int64_t residentBytes, const Machine &machine);

/// Adds a kernel, which has the members of ChipFigures.
template <typename Kernel>
void add(ChipTotals &totals, const Kernel &kernel, bool isRelayout) {
#define NPU_CHIP_ADD(key) totals.key += kernel.key;
  NPU_CHIP_SUMS(NPU_CHIP_ADD)
#undef NPU_CHIP_ADD
  totals.utilisation += kernel.utilisation * static_cast<double>(kernel.cycles);
  totals.relayout_cycles += isRelayout ? kernel.cycles : 0;
  totals.resident_peak_bytes =
      std::max(totals.resident_peak_bytes, kernel.resident_bytes);
  totals.on_chip_peak_bytes = std::max(
      totals.on_chip_peak_bytes, kernel.resident_bytes + kernel.tile_bytes);
}
/// When all are added: what follows from the sums.
inline void finish(ChipTotals &totals, double clockMHz, double dmaChannels) {
  uint64_t in = totals.floor_in_cycles, out = totals.floor_out_cycles;
  totals.floor_cycles =
      std::max(totals.floor_array_cycles,
               dmaChannels > 1 ? std::max(in, out) : in + out);
  auto cycles = static_cast<double>(totals.cycles);
  totals.ms = cycles / (clockMHz * 1e3);
  totals.utilisation = cycles > 0 ? totals.utilisation / cycles : 0;
}

/// Calls set(key, value) for all that a report says of a kernel; whole numbers
/// are int64_t.
template <typename Kernel, typename Set>
void writeFigures(const Kernel &kernel, Set set) {
#define NPU_CHIP_SET(key) set(#key, static_cast<int64_t>(kernel.key));
  NPU_CHIP_FIGURES(NPU_CHIP_SET)
#undef NPU_CHIP_SET
  set("utilisation", kernel.utilisation);
  set("tiling", kernel.tiling);
  set("mapping", kernel.mapping);
  set("bound", kernel.bound);
}

/// The same for a program.
template <typename Set>
void writeTotals(const ChipTotals &totals, Set set) {
#define NPU_CHIP_SET(key) set(#key, static_cast<int64_t>(totals.key));
  NPU_CHIP_SUMS(NPU_CHIP_SET)
  NPU_CHIP_SET(floor_cycles)
  NPU_CHIP_SET(relayout_cycles)
  NPU_CHIP_SET(resident_peak_bytes)
  NPU_CHIP_SET(on_chip_peak_bytes)
#undef NPU_CHIP_SET
  set("ms", totals.ms);
  set("utilisation", totals.utilisation);
}

} // namespace npu::cost

#endif // NPU_COST_CHIP_FIGURES_H
