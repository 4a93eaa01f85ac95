// SPDX-License-Identifier: Apache-2.0
//
// Makes a program of kernels whose operands have their places. No MLIR: what
// the compiler plans is plain data here.
#ifndef NPU_CHIP_EMIT_H
#define NPU_CHIP_EMIT_H

#include "chip/program.h"
#include "chip/tile_choice.h"

#include <unordered_map>

namespace npu::chip {

/// Where all of an operand lies: a byte of a region of DRAM, or of a value that
/// stays on the chip.
struct Location {
  RegionKind region = RegionKind::Arena;
  uint32_t number = 0;
  int64_t offset = 0;
  int resident = -1; ///< instead of the region
};

struct PlacedKernel {
  const kernels::Problem *problem = nullptr;
  std::string name, node;
  std::vector<Location> operands; ///< inputs, then the result
  Engine engine = Engine::Vector;
  int64_t reserved = 0; ///< lowest address that is free to its tiles
  int64_t slots = 2;    ///< of what comes in parts, where they fit
};

/// A value that stays on the chip.
struct PlacedValue {
  std::string name;
  int64_t address = 0, bytes = 0;
  uint32_t first = 0, last = 0; ///< kernels
};

class Emitter {
public:
  /// Regions of DRAM, and bytes of on-chip memory.
  Emitter(std::vector<RegionT> regions, int64_t onChipBytes,
          const std::vector<PlacedValue> &values);

  /// Adds the next kernel. Returns an empty string, or one clause that says why
  /// it has no form that this chip can run.
  std::string add(const PlacedKernel &kernel);

  ProgramT take() { return std::move(program); }

private:
  class OneKernel;
  int64_t onChipBytes;
  size_t onChip = 0; // number of its region
  ProgramT program;
  std::unordered_map<std::string, uint32_t> tiles; // rows by keyOf()
};

} // namespace npu::chip

#endif // NPU_CHIP_EMIT_H
