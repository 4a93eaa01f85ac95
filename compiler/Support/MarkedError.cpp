// SPDX-License-Identifier: Apache-2.0
#include "compiler/Support/MarkedError.h"

using namespace npu;

mlir::InFlightDiagnostic npu::emitMarked(Location location, StringRef mark) {
  mlir::InFlightDiagnostic error = mlir::emitError(location);
  if (mlir::Diagnostic *diagnostic = error.getUnderlyingDiagnostic())
    diagnostic->getMetadata().emplace_back(mark);
  return error;
}

bool npu::isMarked(mlir::Diagnostic &diagnostic, StringRef mark) {
  return llvm::any_of(
      diagnostic.getMetadata(), [&](mlir::DiagnosticArgument &argument) {
        return argument.getKind() ==
                   mlir::DiagnosticArgument::DiagnosticArgumentKind::String &&
               argument.getAsString() == mark;
      });
}
