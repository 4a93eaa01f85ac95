// SPDX-License-Identifier: Apache-2.0
//
// Errors of a kind that callers tell from others, because npuc ends with
// another exit code.
#ifndef NPU_COMPILER_SUPPORT_MARKEDERROR_H
#define NPU_COMPILER_SUPPORT_MARKEDERROR_H

#include "compiler/Support/LLVM.h"

#include "mlir/IR/Diagnostics.h"

namespace npu {

/// An error with a mark, which nobody reads in its text. Text follows with <<.
mlir::InFlightDiagnostic emitMarked(Location location, StringRef mark);
bool isMarked(mlir::Diagnostic &diagnostic, StringRef mark);

/// Options name what does not exist: an input, a pass.
inline constexpr StringRef wrongUsage = "npuc: wrong usage";

/// A file beside the model, which was read, does not fit it.
inline constexpr StringRef wrongInput = "npuc: wrong input";

} // namespace npu

#endif // NPU_COMPILER_SUPPORT_MARKEDERROR_H
