// SPDX-License-Identifier: Apache-2.0
//
// The chip's program as the classes of its table (docs/chip-program.fbs), and
// what relates them to the kernel library.
#ifndef NPU_CHIP_PROGRAM_H
#define NPU_CHIP_PROGRAM_H

#include "chip/chip-program_generated.h"
#include "kernels/kernel.h"
#include "npu/chip.h"

#include <string>

namespace npu::chip {

inline constexpr uint32_t programVersion = 1;

/// Of tiles' buffers on the chip.
inline constexpr int64_t bufferAlignment = NPU_VALUE_ALIGNMENT;

inline int64_t alignedTo(int64_t bytes, int64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

/// "the on-chip memory", "input 0".
std::string nameOf(const RegionT &region);
inline bool isWritable(RegionKind kind) {
  return kind == RegionKind::Arena || kind == RegionKind::Output ||
         kind == RegionKind::OnChip;
}

/// "array".
const char *nameOf(Engine engine);

/// The windows of a tile of a convolution or pool; no spatial dimensions: it
/// has none.
npu_chip_window windowOf(const kernels::Problem &tile);

/// A tile as a problem of the kernel library, and back; of a table that may be
/// damaged, so validate() has to see it.
kernels::Problem problemOf(const TileT &tile);
TileT tileOf(const kernels::Problem &problem);

/// One after the other: what every user of tiles means by an operand's number.
const npu_tensor_desc &operandOf(const kernels::Problem &problem,
                                 size_t operand);

} // namespace npu::chip

#endif // NPU_CHIP_PROGRAM_H
