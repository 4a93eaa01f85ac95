// SPDX-License-Identifier: Apache-2.0
//
// Names and types of a TOSA function's arguments and results.
#ifndef NPU_COMPILER_FRONTEND_TOSA_TOSABOUNDARY_H
#define NPU_COMPILER_FRONTEND_TOSA_TOSABOUNDARY_H

#include "compiler/Frontend/Support/Inputs.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace npu {

/// An error for an argument or result that no .npu file can have.
LogicalResult checkBoundaryType(Location file, const Twine &what, Type type);

FailureOr<std::vector<DeclaredInput>> declaredInputs(Location file,
                                                     mlir::func::FuncOp source);

/// A name for each result; those that the file does not give are output0, ...
SmallVector<std::string> outputNames(mlir::func::FuncOp source);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_TOSA_TOSABOUNDARY_H
