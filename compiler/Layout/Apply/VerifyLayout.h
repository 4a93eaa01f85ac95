// SPDX-License-Identifier: Apache-2.0
//
// Whether a finished function meets what its target demands.
#ifndef NPU_COMPILER_LAYOUT_APPLY_VERIFYLAYOUT_H
#define NPU_COMPILER_LAYOUT_APPLY_VERIFYLAYOUT_H

#include "compiler/Dialect/NPU/NPUDialect.h"
#include "compiler/Layout/Problem/ImageAxes.h"
#include "compiler/Target/TargetSpec.h"

namespace npu {

struct LayoutProblem;

/// Whether the op may have its values in the orders that they are stored in at
/// once, as their types spell them.
bool takesLayouts(LayoutOpInterface op, const LayoutProblem &problem);

/// Whether every tensor has a layout, every demand of the target is met, and no
/// foreign op sees a laid-out tensor. Fails with errors at the ops.
LogicalResult checkLayouts(mlir::func::FuncOp function,
                           const TargetSpec &target,
                           const ImageAxesAnalysis &axes);
/// The same where nobody has analysed the axes yet.
LogicalResult checkLayouts(mlir::func::FuncOp function,
                           const TargetSpec &target);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_APPLY_VERIFYLAYOUT_H
