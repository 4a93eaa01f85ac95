// SPDX-License-Identifier: Apache-2.0
//
// What each kernel of a laid-out program does on the chip, in which tiles, and
// what lies in on-chip memory meanwhile.
#ifndef NPU_COMPILER_PIPELINE_CHIPPLAN_H
#define NPU_COMPILER_PIPELINE_CHIPPLAN_H

#include "compiler/Codegen/ProgramPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Target/TargetSpec.h"

namespace npu {

/// A table of measured costs (docs/measured-costs.md) of the program's kernels,
/// each once: the model's cycles, and those that the target's table has.
std::string costTableOf(const ProgramPlan &program, const TargetSpec &target);

/// Fills in the kernels' work, tiling and resident bytes; of a function that is
/// laid out. Fails, with an error
/// at the op, where not even its smallest tile fits the on-chip memory, and
/// where the DRAM cannot hold the program.
LogicalResult planChip(const ResidentProblem &problem, ProgramPlan &program);

} // namespace npu

#endif // NPU_COMPILER_PIPELINE_CHIPPLAN_H
