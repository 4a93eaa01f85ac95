// SPDX-License-Identifier: Apache-2.0
//
// From a TFLite file to @main in the npu dialect.
#ifndef NPU_COMPILER_FRONTEND_TFLITE_TFLITEIMPORTER_H
#define NPU_COMPILER_FRONTEND_TFLITE_TFLITEIMPORTER_H

#include "compiler/Frontend/Support/ImportOptions.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace npu {

/// Reads the file at `path`, or the bytes of `options`. Errors at the file: it
/// cannot be read, is no whole model, or asks for what npuc does not do.
FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
importTflite(MLIRContext &context, StringRef path,
             const ImportOptions &options);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_TFLITE_TFLITEIMPORTER_H
