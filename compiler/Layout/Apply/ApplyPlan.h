// SPDX-License-Identifier: Apache-2.0
//
// A plan becomes types, relayouts and other algorithms.
#ifndef NPU_COMPILER_LAYOUT_APPLY_APPLYPLAN_H
#define NPU_COMPILER_LAYOUT_APPLY_APPLYPLAN_H

#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"

namespace npu {

/// Sets the types of all values, inside fused kernels and in the signature too,
/// and inserts npu.relayout where a reader wants another order than is there:
/// one for each value and layout, before its first reader, and before it those
/// copies that the plan makes it from.
void applyPlan(mlir::func::FuncOp function, const LayoutPlan &plan);

/// Marks the operands whose ops do not take the value as it is spelled where it
/// is stored, though it lies as they read it (LayoutPlan::spelled).
void spellAsRead(const LayoutProblem &problem, LayoutPlan &plan);

/// Chooses algorithms where the plan leaves that open, holds pinned ones and
/// drops those that do not fit the ops' final layouts. Fails with an error at
/// an op whose pinned one does not.
LogicalResult settleAlgorithms(const LayoutProblem &problem, LayoutPlan &plan);

/// Replaces ops by the plan's settled algorithms; the last thing that is done
/// to a function. `verify`: each set of a plugin's must compute what its op
/// does, and see its elements where it should.
LogicalResult applyAlgorithms(mlir::func::FuncOp function,
                              const LayoutPlan &plan, const TargetSpec &target,
                              Objective objective, bool verify);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_APPLY_APPLYPLAN_H
