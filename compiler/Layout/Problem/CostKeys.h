// SPDX-License-Identifier: Apache-2.0
//
// Kernels as tables of measured costs name them (docs/measured-costs.md).
#ifndef NPU_COMPILER_LAYOUT_PROBLEM_COSTKEYS_H
#define NPU_COMPILER_LAYOUT_PROBLEM_COSTKEYS_H

#include "compiler/Layout/Problem/LayoutProblem.h"
#include "cost/cost_table.h"

namespace npu {

/// An op that computes, in these layouts (one for each operand, then the
/// result). Constants, and operands that are read in whatever order they are
/// stored in, have none.
cost::TableKey costKeyOf(const LayoutProblem &problem, LayoutOpInterface op,
                         ArrayRef<LayoutAttr> layouts);

/// A relayout.
cost::TableKey costKeyOf(RankedTensorType type, LayoutAttr from, LayoutAttr to);

/// The kernel that an op of a laid-out function is; nothing where it is free,
/// runs on the processor, or is another algorithm, which tables do not have.
std::optional<cost::TableKey> costKeyOf(const LayoutProblem &problem,
                                        Operation *op);

/// What the target's table says of a kernel; nothing where it has none. `key`
/// is asked for only if there is a table.
std::optional<cost::Measurement>
measurementOf(const LayoutProblem &problem,
              llvm::function_ref<cost::TableKey()> key);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_PROBLEM_COSTKEYS_H
