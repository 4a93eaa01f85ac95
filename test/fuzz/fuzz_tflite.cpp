// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a .tflite file: a verified model, or one error; and what is made
// of its operators is a verified model again.

#include "compiler/Frontend/TFLite/TfliteOps.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <cstdlib>

using namespace npu;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  int errors = 0;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &) {
    ++errors;
    return success();
  });
  Location file = mlir::UnknownLoc::get(&context);
  std::string bytes(reinterpret_cast<const char *>(data), size);
  const tflite::Model *model = readTfliteModel(file, bytes);
  if ((model == nullptr) != (errors == 1))
    abort();
  if (!model)
    return 0;
  auto changes = checkTfliteOps(file, *model);
  if (failed(changes) != (errors == 1))
    abort();
  if (failed(changes) || changes->empty())
    return 0;
  std::string changed = rewriteTflite(bytes, *model, *changes);
  if (!readTfliteModel(file, changed))
    abort();
  return 0;
}
