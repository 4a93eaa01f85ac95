// SPDX-License-Identifier: Apache-2.0
//
// --layout-plan: a plan's file meets a graph.
#ifndef NPU_COMPILER_LAYOUT_PLANFILE_PLANBINDING_H
#define NPU_COMPILER_LAYOUT_PLANFILE_PLANBINDING_H

#include "compiler/Layout/PlanFile/PlanFile.h"
#include "compiler/Layout/Problem/LayoutProblem.h"

namespace npu {

/// Adds the file's pins to the problem, whose boundary is bound. Fails, with an
/// error that names the file's line, on a plan for another graph or target and
/// on pins that cannot be held.
LogicalResult bindPlan(LayoutProblem &problem, const PlanFile &plan);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_PLANFILE_PLANBINDING_H
