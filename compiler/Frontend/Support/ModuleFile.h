// SPDX-License-Identifier: Apache-2.0
//
// Modules of MLIR as files.
#ifndef NPU_COMPILER_FRONTEND_SUPPORT_MODULEFILE_H
#define NPU_COMPILER_FRONTEND_SUPPORT_MODULEFILE_H

#include "compiler/Support/LLVM.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace npu {

/// The verified module in these bytes, text or bytecode, in the dialects of the
/// context; null after one error or several. `name` is the file's, for errors.
mlir::OwningOpRef<mlir::ModuleOp> parseModule(MLIRContext &context,
                                              StringRef bytes, StringRef name);

/// The same from bytes of others, held to the budgets first.
mlir::OwningOpRef<mlir::ModuleOp> readModule(MLIRContext &context,
                                             StringRef bytes, StringRef name);

/// The same from a file; "-" is standard input.
mlir::OwningOpRef<mlir::ModuleOp> readModuleFile(MLIRContext &context,
                                                 StringRef path);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_SUPPORT_MODULEFILE_H
