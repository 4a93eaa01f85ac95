// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a .tflite file: a verified module or errors, never both, never a
// crash.

#include "compiler/Frontend/TFLite/TfliteImporter.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <cstdlib>

using namespace npu;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  int errors = 0;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        errors += diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
        return success();
      });
  ImportOptions options;
  options.bytes = StringRef(reinterpret_cast<const char *>(data), size);
  if (succeeded(importTflite(context, "model.tflite", options)) == (errors > 0))
    abort();
  return 0;
}
