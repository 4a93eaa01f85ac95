// SPDX-License-Identifier: Apache-2.0
//
// From the LLVM dialect to machine code of one processor.
#ifndef NPU_COMPILER_CODEGEN_NATIVECODE_H
#define NPU_COMPILER_CODEGEN_NATIVECODE_H

#include "compiler/Support/LLVM.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>

namespace npu {

/// The machine code generator for `cpu` ("native": this machine). Failure
/// leaves a sentence in `error`.
std::unique_ptr<llvm::TargetMachine> makeTargetMachine(StringRef cpu,
                                                       std::string &error);

/// The features among those that the runtime checks which the code may use.
SmallVector<std::string> requiredFeatures(const llvm::TargetMachine &machine);

/// Translates and optimises. Functions are no-builtins: LLVM may not turn a
/// loop into a call of memset.
std::unique_ptr<llvm::Module> translateProgram(mlir::ModuleOp module,
                                               llvm::LLVMContext &context,
                                               llvm::TargetMachine &machine);

/// Object file or assembly text of the module.
FailureOr<SmallVector<char, 0>> emitMachineCode(llvm::Module &module,
                                                llvm::TargetMachine &machine,
                                                bool assembly);

} // namespace npu

#endif // NPU_COMPILER_CODEGEN_NATIVECODE_H
