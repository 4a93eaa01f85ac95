// SPDX-License-Identifier: Apache-2.0
//
// The last step: tables, weights and code linked into an ELF shared object,
// sealed with its manifest as a .npu file.
#ifndef NPU_COMPILER_CODEGEN_PROGRAMWRITER_H
#define NPU_COMPILER_CODEGEN_PROGRAMWRITER_H

#include "compiler/Codegen/ProgramEmitter.h"
#include "compiler/Codegen/ProgramPlan.h"
#include "files/output_files.h"
#include "format/manifest.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace npu {

/// Defines npu_run, which calls every kernel in order through the import table.
void addProgramRun(llvm::Module &module, const ProgramPlan &plan,
                   const EmittedProgram &emitted);

/// Defines npu_program, which points to npu_run, in the module; its tables are
/// symbols of the data object that writeProgram adds.
void addProgramRoot(llvm::Module &module, const ProgramPlan &plan);

/// Links `object` (the module's machine code) with the plan's tables and
/// weights; behind it stand the manifest and `chipProgram`, if there is one. It
/// becomes `path` when the caller commits `file`. Temporary files
/// lie beside `path` and are removed.
llvm::Error writeProgram(StringRef path, ArrayRef<char> object,
                         const ProgramPlan &plan,
                         const format::Manifest &manifest,
                         const std::string &chipProgram,
                         files::OutputFile &file);

} // namespace npu

#endif // NPU_COMPILER_CODEGEN_PROGRAMWRITER_H
