// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/Support/Unsupported.h"

#include "compiler/Support/MarkedError.h"

using namespace npu;

static constexpr StringRef mark = "npuc: unsupported";

mlir::InFlightDiagnostic npu::emitUnsupported(Location location) {
  return emitMarked(location, mark);
}

bool npu::isUnsupported(mlir::Diagnostic &diagnostic) {
  return isMarked(diagnostic, mark);
}
