// SPDX-License-Identifier: Apache-2.0
//
// The four steps of `alter`, each a function and a pass.
#ifndef NPU_COMPILER_LAYOUT_STRATEGIES_ALTERSTEPS_H
#define NPU_COMPILER_LAYOUT_STRATEGIES_ALTERSTEPS_H

#include "compiler/Layout/Problem/LayoutProblem.h"

namespace npu {

/// Gives every value that has no layout the one that follows from the others,
/// forward, then backward; row-major where nothing tells. `outputs` holds the
/// layouts that results are held to; null or absent: as they come. A relayout
/// stands only where an op cannot run on what is there.
void inferLayouts(mlir::func::FuncOp function, const TargetSpec &target,
                  const ImageAxesAnalysis &axes, ArrayRef<LayoutAttr> outputs);

/// An op's best layouts on its op: one for each operand, then the result's.
constexpr StringRef bestLayoutsAttr = "npu.best_layouts";
/// The name of its best algorithm, if that is another one.
constexpr StringRef bestAlgorithmAttr = "npu.best_algorithm";

/// Notes the best layouts of every op whose own are not the best for the
/// target, whatever its neighbours are stored in. Changes nothing else.
LogicalResult findBestLayouts(const LayoutProblem &problem);

/// Replaces every op that has a note by relayouts, the op in its best layouts,
/// and a relayout back: outside, nothing changes. Fails, with an error at the
/// op, where a note does not fit its op. Notes of algorithms stay.
LogicalResult alterLayouts(mlir::func::FuncOp function);

/// Replaces every op that has a note of an algorithm. Fails where there is none
/// of that name, or it cannot be used in the op's layouts.
LogicalResult alterAlgorithms(mlir::func::FuncOp function);

/// Carries relayouts through their readers, cancels pairs, removes what nobody
/// reads; never more bytes than before. A second run changes nothing.
void peepholeLayouts(mlir::func::FuncOp function, const TargetSpec &target,
                     const ImageAxesAnalysis &axes);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_STRATEGIES_ALTERSTEPS_H
