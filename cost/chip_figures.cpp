// SPDX-License-Identifier: Apache-2.0
#include "cost/chip_figures.h"

#include "cost/count.h"
#include "cost/floor.h"

#include <cmath>

namespace npu::cost {

ChipFigures figuresOf(const KernelWork &work, const Tiling &tiling,
                      int64_t residentBytes, const Machine &machine) {
  auto whole = [](double number) {
    return static_cast<uint64_t>(counted(number));
  };
  auto cycles = [](int64_t number) { return static_cast<uint64_t>(number); };
  KernelTime time = timeOf(work, tiling, machine);
  OnChipBytes onChip = onChipBytes(work, tiling, machine);
  ChipFigures figures;
  figures.cycles = cycles(time.total);
  figures.compute_cycles = cycles(time.compute);
  figures.dma_cycles = cycles(time.dma);
  figures.array_cycles = cycles(time.array);
  figures.vector_cycles = cycles(time.vector);
  figures.dma_in_cycles = cycles(time.dmaIn);
  figures.dma_out_cycles = cycles(time.dmaOut);
  figures.stall_cycles = cycles(time.stall());
  figures.processor_cycles = cycles(time.processor);
  figures.on_chip_cycles = cycles(time.onChip);
  figures.link_cycles = cycles(time.link);
  figures.link_bytes = whole(work.processor ? work.processor->linkBytes : 0);
  figures.measured_cycles = cycles(time.measured);
  figures.scaled_cycles = cycles(time.scaled);
  figures.dram_read_bytes = whole(time.dramRead);
  figures.dram_written_bytes = whole(time.dramWritten);
  figures.on_chip_read_bytes = whole(onChip.read);
  figures.on_chip_written_bytes = whole(onChip.written);
  figures.tiles = static_cast<uint64_t>(tileCount(work, tiling));
  figures.macs = whole(work.usefulMacs);
  figures.energy_pj = cycles(energyOf(work, tiling, machine));
  // Whole cycles that are not more, so that their sums are not either. What was
  // measured is what it was.
  Floor floor = floorOf(work, machine);
  auto atLeast = [&](double number) {
    uint64_t least = whole(std::floor(number));
    return work.measured ? std::min(least, figures.cycles) : least;
  };
  figures.floor_cycles = atLeast(floor.cycles());
  figures.floor_array_cycles = atLeast(floor.array);
  figures.floor_in_cycles = atLeast(floor.boundaryIn);
  figures.floor_out_cycles = atLeast(floor.boundaryOut);
  figures.resident_bytes = static_cast<uint64_t>(residentBytes);
  figures.tile_bytes = whole(bufferBytes(work, tiling, machine));
  figures.utilisation = utilisation(work, time.total, machine);
  figures.tiling = describe(tiling, work);
  figures.mapping = mappingOf(work, machine);
  figures.bound = nameOf(time.bound);
  return figures;
}

} // namespace npu::cost
