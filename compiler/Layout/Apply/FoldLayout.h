// SPDX-License-Identifier: Apache-2.0
#ifndef NPU_COMPILER_LAYOUT_APPLY_FOLDLAYOUT_H
#define NPU_COMPILER_LAYOUT_APPLY_FOLDLAYOUT_H

#include "compiler/Layout/Problem/ImageAxes.h"
#include "compiler/Layout/Problem/LayoutPins.h"
#include "compiler/Target/TargetSpec.h"

namespace npu {

/// Relayouts of constants become the constants' layouts.
void foldConstantRelayouts(mlir::func::FuncOp function);

/// Removes relayouts: of constants, adjacent inverse pairs, chains, duplicates;
/// moves them through ops that take any order and through views wherever the
/// bytes that are moved in all become strictly fewer (so it ends, and a second
/// run changes nothing). Demands of the target stay met; ops that decide
/// themselves (heavily sensitive) are left alone, and pins are held.
void foldLayouts(mlir::func::FuncOp function, const TargetSpec &target,
                 const ImageAxesAnalysis &axes,
                 const LayoutPins &pins = LayoutPins());
/// The same where nobody has analysed the axes yet.
void foldLayouts(mlir::func::FuncOp function, const TargetSpec &target);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_APPLY_FOLDLAYOUT_H
