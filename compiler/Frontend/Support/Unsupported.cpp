// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/Support/Unsupported.h"

using namespace npu;

static constexpr StringRef mark = "npuc: unsupported";

mlir::InFlightDiagnostic npu::emitUnsupported(Location location) {
  mlir::InFlightDiagnostic error = mlir::emitError(location);
  if (mlir::Diagnostic *diagnostic = error.getUnderlyingDiagnostic())
    diagnostic->getMetadata().emplace_back(mark);
  return error;
}

bool npu::isUnsupported(mlir::Diagnostic &diagnostic) {
  return llvm::any_of(
      diagnostic.getMetadata(), [](mlir::DiagnosticArgument &argument) {
        return argument.getKind() ==
                   mlir::DiagnosticArgument::DiagnosticArgumentKind::String &&
               argument.getAsString() == mark;
      });
}
