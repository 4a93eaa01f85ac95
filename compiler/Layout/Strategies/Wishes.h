// SPDX-License-Identifier: Apache-2.0
//
// One op's layouts from what a user wishes for its operands.
#ifndef NPU_COMPILER_LAYOUT_STRATEGIES_WISHES_H
#define NPU_COMPILER_LAYOUT_STRATEGIES_WISHES_H

#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/Placement.h"

namespace npu {

/// The placement in which every operand that a wish speaks of has its layout;
/// `wishes` holds one for each of the op's `desirableRoles`. Nothing, with a
/// clause in `whyNot`, where a wish does not fit the op or the target.
std::optional<Placement> placeWished(const LayoutProblem &problem,
                                     const LayoutPlan &plan,
                                     LayoutOpInterface op,
                                     ArrayRef<DesiredLayouts::Wish> wishes,
                                     std::string &whyNot);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_STRATEGIES_WISHES_H
