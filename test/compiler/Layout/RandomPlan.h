// SPDX-License-Identifier: Apache-2.0
//
// Plans that no strategy would make: what applying, folding and checking must
// survive all the same.
#ifndef NPU_TEST_COMPILER_LAYOUT_RANDOMPLAN_H
#define NPU_TEST_COMPILER_LAYOUT_RANDOMPLAN_H

#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"

#include <random>

namespace npu::test {

/// A plan that keeps to the boundary; each op in an order picked among its
/// demands, its neighbours' orders and any at all. Nothing where an op fits no
/// order that was tried.
std::optional<LayoutPlan> randomPlan(const LayoutProblem &problem,
                                     std::mt19937 &random);

} // namespace npu::test

#endif // NPU_TEST_COMPILER_LAYOUT_RANDOMPLAN_H
