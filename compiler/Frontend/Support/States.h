// SPDX-License-Identifier: Apache-2.0
//
// States of @main: what a run leaves for the next one.
#ifndef NPU_COMPILER_FRONTEND_SUPPORT_STATES_H
#define NPU_COMPILER_FRONTEND_SUPPORT_STATES_H

#include "compiler/Support/LLVM.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace npu {

/// Makes states of inputs and outputs of @main, each called as its input; they
/// move behind the others. `pairs`: "PAST=PRESENT", an input and the output
/// that is the next run's. Errors at the function: a name that it does not have
/// or that is a state already, two of different types.
LogicalResult pairStates(mlir::func::FuncOp function,
                         ArrayRef<std::string> pairs);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_SUPPORT_STATES_H
