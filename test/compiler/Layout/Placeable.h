// SPDX-License-Identifier: Apache-2.0
//
// Whether a target contradicts itself: found by trying every order, without the
// placements that strategies use.
#ifndef NPU_TEST_COMPILER_LAYOUT_PLACEABLE_H
#define NPU_TEST_COMPILER_LAYOUT_PLACEABLE_H

#include "compiler/Layout/Problem/LayoutProblem.h"

namespace npu::test {

/// Whether the target lets a strategy compile every graph that has these ops:
/// each op has layouts that the target accepts and that go with each other,
/// whatever its neighbours are stored in. Then disagreements between ops are
/// relayouts, and no strategy may refuse but
///   none       which inserts no relayouts;
///   auto-nhwc  which knows two orders, channels last and row-major: every
///              op's result must have a placement in one of them.
bool mustSucceed(const LayoutProblem &problem, StringRef strategy);

} // namespace npu::test

#endif // NPU_TEST_COMPILER_LAYOUT_PLACEABLE_H
