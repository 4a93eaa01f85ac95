// SPDX-License-Identifier: Apache-2.0
//
// func.func @main, which every front end fills: arguments, results, tidying.
#ifndef NPU_COMPILER_FRONTEND_SUPPORT_MAINFUNCTION_H
#define NPU_COMPILER_FRONTEND_SUPPORT_MAINFUNCTION_H

#include "compiler/Dialect/NPU/NPUDialect.h"
#include "compiler/Frontend/Support/Inputs.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace npu {

/// An empty @main at the module's location, with an argument for each input
/// that is not bound; the builder stands in it.
mlir::func::FuncOp createMain(OpBuilder &builder, mlir::ModuleOp module,
                              ArrayRef<GraphInput> inputs);

/// A value for each input, in order: an argument, which gets its name as
/// attribute `npu.name`, or a constant.
SmallVector<Value> inputValues(OpBuilder &builder, mlir::func::FuncOp function,
                               ArrayRef<GraphInput> inputs);

/// Ends @main with its results and their names.
void returnOutputs(OpBuilder &builder, mlir::func::FuncOp function,
                   ArrayRef<Value> outputs, ArrayRef<std::string> names);

/// Removes what folding left over: unread constants, whose bytes are freed, and
/// nodes of which only the shape was read. Bound inputs are the caller's.
void dropDeadCode(mlir::func::FuncOp function, ArrayRef<GraphInput> inputs);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_SUPPORT_MAINFUNCTION_H
