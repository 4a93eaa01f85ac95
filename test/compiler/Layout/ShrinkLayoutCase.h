// SPDX-License-Identifier: Apache-2.0
//
// Makes a case smaller while it still shows the same fault.
#ifndef NPU_TEST_COMPILER_LAYOUT_SHRINKLAYOUTCASE_H
#define NPU_TEST_COMPILER_LAYOUT_SHRINKLAYOUTCASE_H

#include "test/compiler/Layout/RandomLayoutGraph.h"

#include <functional>

namespace npu::test {

/// Drops results, ops, demands and boundary layouts, replaces ops by their
/// operands or by inputs, shrinks extents and simplifies constants and
/// attributes, one step at a time; keeps each step after which `stillFails`
/// holds. Ends when no step does, or after `mostSeconds` and the try under way.
LayoutCase shrinkCase(LayoutCase problem,
                      const std::function<bool(const LayoutCase &)> &stillFails,
                      double mostSeconds);

} // namespace npu::test

#endif // NPU_TEST_COMPILER_LAYOUT_SHRINKLAYOUTCASE_H
