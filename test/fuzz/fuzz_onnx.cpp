// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as an ONNX file: a verified module or one error, never both, never
// a crash.

#include "compiler/Frontend/ONNX/OnnxImporter.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <cstdlib>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

using namespace npu;

/// The bytes as a file that has a path and needs no disk.
static int openBytes(const uint8_t *data, size_t size) {
  int file = memfd_create("model.onnx", 0);
  if (file < 0 || write(file, data, size) != static_cast<ssize_t>(size))
    abort();
  return file;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  int errors = 0;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        errors += diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
        return success();
      });
  int file = openBytes(data, size);
  ImportOptions options;
  options.batch = 2;
  std::string path = "/proc/self/fd/" + std::to_string(file);
  bool worked = succeeded(importOnnx(context, path, options));
  close(file);
  if (worked == (errors > 0))
    abort();
  return 0;
}
