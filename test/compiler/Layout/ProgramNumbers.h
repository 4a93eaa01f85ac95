// SPDX-License-Identifier: Apache-2.0
//
// A case compiled by every strategy and run: the numbers against each other's
// source, op by op with the reference kernels.
#ifndef NPU_TEST_COMPILER_LAYOUT_PROGRAMNUMBERS_H
#define NPU_TEST_COMPILER_LAYOUT_PROGRAMNUMBERS_H

#include "test/compiler/Layout/LayoutProperties.h"

namespace npu::test {

/// Of a case whose graph is runnable (GraphKind). The first strategy whose
/// program cannot be compiled, loaded or run, or gives other numbers.
std::optional<Finding> checkProgramNumbers(const LayoutCase &problem,
                                           uint64_t seed, Coverage &coverage);

} // namespace npu::test

#endif // NPU_TEST_COMPILER_LAYOUT_PROGRAMNUMBERS_H
