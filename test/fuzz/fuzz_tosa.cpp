// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a TOSA file, text or bytecode: a verified module in the npu
// dialect, or errors; never both, never a crash.

#include "compiler/Frontend/Support/ModuleFile.h"
#include "compiler/Frontend/TOSA/TosaImporter.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <cstdlib>

using namespace npu;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mlir::DialectRegistry registry;
  registerTosaDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  int errors = 0;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        errors += diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
        return success();
      });
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  auto source = parseModule(context, bytes, "model.mlir");
  if (!source) {
    if (errors == 0)
      abort();
    return 0;
  }
  errors = 0;
  ImportOptions options;
  options.batch = 2;
  bool worked = succeeded(importTosa(*source, "model.mlir", options));
  if (worked == (errors > 0))
    abort();
  return 0;
}
