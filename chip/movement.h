// SPDX-License-Identifier: Apache-2.0
//
// Kernels that only move elements, as transfers from where their operands lie
// to where their results do, past every buffer.
#ifndef NPU_CHIP_MOVEMENT_H
#define NPU_CHIP_MOVEMENT_H

#include "chip/pattern.h"

namespace npu::chip {

/// Of one input, what is moved of it.
struct Movement {
  size_t input = 0;
  int64_t from = 0, to = 0; ///< bytes from the first of the operand, the result
  Pattern pattern;
};

/// All that a kernel does; empty: a descriptor cannot say it, for the kernel
/// computes or one of its layouts has blocks.
std::vector<Movement> movementsOf(const kernels::Problem &problem);

} // namespace npu::chip

#endif // NPU_CHIP_MOVEMENT_H
