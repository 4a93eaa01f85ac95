// SPDX-License-Identifier: Apache-2.0
//
// A planned program as an MLIR module of functions: the generated kernels, and
// `npu_run`, which calls every kernel in order through the import table.
#ifndef NPU_COMPILER_CODEGEN_PROGRAMEMITTER_H
#define NPU_COMPILER_CODEGEN_PROGRAMEMITTER_H

#include "compiler/Codegen/ProgramPlan.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace npu {

/// Name of the entry function in the module (npu_program.run).
inline constexpr llvm::StringLiteral runSymbol = "npu_run";

/// Emits the module and lowers it to the LLVM dialect.
FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
emitProgram(MLIRContext *context, const ProgramPlan &plan);

/// The dialects that emitProgram creates ops of.
void registerCodegenDialects(mlir::DialectRegistry &registry);

} // namespace npu

#endif // NPU_COMPILER_CODEGEN_PROGRAMEMITTER_H
