// SPDX-License-Identifier: Apache-2.0
//
// From TOSA (MLIR's dialect, text or bytecode) to func.func @main in the npu
// dialect.
#ifndef NPU_COMPILER_FRONTEND_TOSA_TOSAIMPORTER_H
#define NPU_COMPILER_FRONTEND_TOSA_TOSAIMPORTER_H

#include "compiler/Frontend/Support/ImportOptions.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace npu {

/// What a context needs to parse TOSA files.
void registerTosaDialects(mlir::DialectRegistry &registry);

/// Whether a module holds TOSA ops.
bool isTosa(mlir::ModuleOp module);

/// The module as one with one function, @main, whose arguments and results
/// carry the model's names as attribute `npu.name`. Each op's location is a
/// NameLoc "conv2d 'name'" around one of the file. Constant subgraphs are
/// computed. Failure leaves one error at the op, or at the file.
FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importTosa(mlir::ModuleOp source, StringRef path, const ImportOptions &options);

/// The table of supported operators in Markdown.
std::string supportedTosaOpsMarkdown();

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_TOSA_TOSAIMPORTER_H
