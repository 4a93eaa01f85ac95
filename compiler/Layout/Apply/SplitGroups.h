// SPDX-License-Identifier: Apache-2.0
//
// Fused kernels that a plan splits become two.
#ifndef NPU_COMPILER_LAYOUT_APPLY_SPLITGROUPS_H
#define NPU_COMPILER_LAYOUT_APPLY_SPLITGROUPS_H

#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"

namespace npu {

/// Puts two kernels in place of each op that the plan splits. Plan and pins
/// then describe the kernels' operands and results; other analyses of the
/// function are out of date. The second kernel has splitAttr with what the op
/// was, the first as a unit.
void splitGroups(const LayoutProblem &problem, LayoutPlan &plan,
                 LayoutPins &pins);

/// Whether a finished function has such kernels.
bool hasSplits(mlir::func::FuncOp finished);

/// Does to a function what splitGroups() did to `finished`, which had its ops.
void splitAlike(mlir::func::FuncOp function, mlir::func::FuncOp finished);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_APPLY_SPLITGROUPS_H
