// SPDX-License-Identifier: Apache-2.0
//
// Any text as a module in the npu dialect: what parses and verifies prints and
// parses again, the rest is an error.

#include "compiler/Dialect/NPU/NPUDialect.h"
#include "compiler/Frontend/Support/ModuleFile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <cstdlib>
#include <string>

using namespace npu;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<NPUDialect, mlir::func::FuncDialect>();
  int errors = 0;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        errors += diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
        return success();
      });
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  auto module = parseModule(context, text, "model.mlir");
  if (!module) {
    if (errors == 0)
      abort();
    return 0;
  }
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  module->print(stream);
  if (!mlir::parseSourceString<mlir::ModuleOp>(printed, &context))
    abort();
  return 0;
}
