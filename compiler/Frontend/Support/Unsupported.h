// SPDX-License-Identifier: Apache-2.0
//
// Errors that say that npuc does not do what a model asks for, as against
// models that are broken: npuc ends with another exit code.
#ifndef NPU_COMPILER_FRONTEND_SUPPORT_UNSUPPORTED_H
#define NPU_COMPILER_FRONTEND_SUPPORT_UNSUPPORTED_H

#include "compiler/Support/LLVM.h"

#include "mlir/IR/Diagnostics.h"

namespace npu {

/// An error of that kind at `location`; text follows with <<.
mlir::InFlightDiagnostic emitUnsupported(Location location);

/// Whether it was made by emitUnsupported().
bool isUnsupported(mlir::Diagnostic &diagnostic);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_SUPPORT_UNSUPPORTED_H
