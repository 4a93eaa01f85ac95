// SPDX-License-Identifier: Apache-2.0
//
// The chip's program (docs/chip-program.md) of a planned one.
#ifndef NPU_COMPILER_CODEGEN_CHIPPROGRAM_H
#define NPU_COMPILER_CODEGEN_CHIPPROGRAM_H

#include "compiler/Codegen/ProgramPlan.h"

namespace npu {

/// Fills in the bytes of its table; of a plan with work and tiling for this
/// chip. Fails, with an error at the op, where a kernel has no form that can
/// run in tiles.
LogicalResult planChipProgram(const ProgramPlan &plan,
                              const cost::Machine &machine, std::string &table);

} // namespace npu

#endif // NPU_COMPILER_CODEGEN_CHIPPROGRAM_H
