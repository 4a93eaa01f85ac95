// SPDX-License-Identifier: Apache-2.0
//
// A planned program's generated kernels as an MLIR module of functions.
#ifndef NPU_COMPILER_CODEGEN_PROGRAMEMITTER_H
#define NPU_COMPILER_CODEGEN_PROGRAMEMITTER_H

#include "compiler/Codegen/EltwiseEmitter.h"
#include "compiler/Codegen/ProgramPlan.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace npu {

/// Name of the entry function in the module (npu_program.run).
inline constexpr llvm::StringLiteral runSymbol = "npu_run";

struct EmittedProgram {
  /// In place of a number in `bodyOf`: the kernel library's.
  static constexpr int32_t library = -1;

  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<GeneratedKernel> generated; ///< each code once
  std::vector<int32_t> bodyOf;            ///< by kernel of the plan
};

/// Emits the module and lowers it to the LLVM dialect.
FailureOr<EmittedProgram> emitProgram(MLIRContext *context,
                                      const ProgramPlan &plan);

/// The dialects that emitProgram creates ops of.
void registerCodegenDialects(mlir::DialectRegistry &registry);

} // namespace npu

#endif // NPU_COMPILER_CODEGEN_PROGRAMEMITTER_H
