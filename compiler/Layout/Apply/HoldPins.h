// SPDX-License-Identifier: Apache-2.0
//
// Holding a layout plan's pins, whatever strategy decides about the rest.
#ifndef NPU_COMPILER_LAYOUT_APPLY_HOLDPINS_H
#define NPU_COMPILER_LAYOUT_APPLY_HOLDPINS_H

#include "compiler/Layout/Problem/LayoutPins.h"
#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/Placement.h"

namespace npu {

/// Places every op whose pins the plan does not hold by them; its neighbours
/// keep what they read. So each strategy holds pins, also one that does not ask
/// for them. Fails with an error at the op that cannot be placed. `moved`
/// becomes true if there was such an op.
LogicalResult holdPins(const LayoutProblem &problem, LayoutPlan &plan,
                       bool &moved);

/// Whether all pins are held after the stage. Fails with an error at the op.
LogicalResult checkPins(const LayoutPins &pins);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_APPLY_HOLDPINS_H
