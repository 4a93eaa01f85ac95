// SPDX-License-Identifier: Apache-2.0
#ifndef NPU_COMPILER_LAYOUT_PASSES_PASSES_H
#define NPU_COMPILER_LAYOUT_PASSES_PASSES_H

#include "compiler/Dialect/NPU/NPUDialect.h"
#include "compiler/Target/TargetSpec.h"

#include "mlir/Pass/Pass.h"

namespace npu {

#define GEN_PASS_DECL
#include "compiler/Layout/Passes/Passes.h.inc"

/// Makes this folder's passes known to a tool by their names.
void registerLayoutPasses();

/// The chip that a pass's option names; without it an error at the function.
std::optional<TargetSpec> requireTarget(mlir::func::FuncOp function,
                                        StringRef nameOrPath);

/// What every pass on layouts needs.
LogicalResult requireOneBlock(mlir::func::FuncOp function);

/// Fails, with an error at the op, if there is one that does not answer for its
/// layouts; with one at the function, if an argument has no type of the
/// dialect's.
LogicalResult requireNpuOps(mlir::func::FuncOp function);

/// Whether every tensor has a layout.
bool isDecided(mlir::func::FuncOp function);

/// What a pass on layouts needs: one block, and a layout on every tensor.
LogicalResult requireDecided(mlir::func::FuncOp function);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_PASSES_PASSES_H
