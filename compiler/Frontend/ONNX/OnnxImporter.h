// SPDX-License-Identifier: Apache-2.0
//
// From an ONNX file to func.func @main in the npu dialect.
#ifndef NPU_COMPILER_FRONTEND_ONNX_ONNXIMPORTER_H
#define NPU_COMPILER_FRONTEND_ONNX_ONNXIMPORTER_H

#include "compiler/Frontend/Support/ImportOptions.h"
#include "compiler/Frontend/Support/SourceLocation.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace npu {

/// The model as a module with one function, @main. Arguments and results carry
/// the model's names as attribute `npu.name`; each op's location is a NameLoc
/// "Conv 'name'" around a NameLoc of the file. Constant subgraphs are computed,
/// nodes that no output needs are left out. Failure leaves one error at the
/// node, or at the file.
FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importOnnx(MLIRContext &context, StringRef path, const ImportOptions &options);

/// The table of supported operators in Markdown.
std::string supportedOnnxOpsMarkdown();

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_ONNX_ONNXIMPORTER_H
