// SPDX-License-Identifier: Apache-2.0
//
// What an op does on the chip in given layouts, before it is cut into tiles.
#ifndef NPU_COMPILER_LAYOUT_PROBLEM_CHIPWORK_H
#define NPU_COMPILER_LAYOUT_PROBLEM_CHIPWORK_H

#include "compiler/Layout/Problem/Cost.h"
#include "cost/kernel_work.h"

namespace npu {

/// What lies alike costs the same, however it is spelled.
LayoutAttr pricedLayout(RankedTensorType type, LayoutAttr layout);

/// All of a value that is moved in `layout`, as pricedLayout gives it.
cost::Transfer transferOf(const ResidentProblem &problem, Value value,
                          RankedTensorType type, LayoutAttr layout);

/// Of an op that computes: on the chip, or on the processor beside it; what was
/// measured, too. Arguments as kernelCost's.
cost::KernelWork computingWork(const ResidentProblem &problem,
                               LayoutOpInterface op,
                               ArrayRef<LayoutAttr> layouts,
                               const Alternative *algorithm,
                               ArrayRef<LayoutAttr> whole);

/// Of what moves a value of a type that the chip lacks: the processor makes and
/// reads it, so nothing crosses for that. `own`: what the move would be on the
/// chip.
cost::KernelWork movedByProcessor(const TargetSpec &target,
                                  cost::KernelWork own);

/// What a view on the processor does. Its value crosses the link there and back
/// where the chip makes and reads it; else an op of the processor pays for it.
cost::KernelWork movedByProcessor(const TargetSpec &target,
                                  const cost::KernelWork &own, Operation *view,
                                  LayoutAttr from, LayoutAttr to);

/// Of multiplications of the op's own algorithm, `own`, or those of another one
/// that the target lists and that takes fewer; by the rate of its type.
double leastMacs(const ResidentProblem &problem, Operation *op, double own);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_PROBLEM_CHIPWORK_H
