// SPDX-License-Identifier: Apache-2.0
//
// States: what a run of a network leaves for the next one. In the IR an
// argument and a result of the function with the same `npu.state`.
#ifndef NPU_COMPILER_DIALECT_NPU_STATES_H
#define NPU_COMPILER_DIALECT_NPU_STATES_H

#include "compiler/Dialect/NPU/NPUDialect.h"

namespace npu {

/// Of an argument and of a result: the state's name.
constexpr StringRef stateAttr = "npu.state";
/// Of the argument: its elements before the first run; absent: zeros.
constexpr StringRef beginsAsAttr = "npu.begins_as";

/// How many of the function's last arguments, and of its last results, are
/// states: in the same sequence, of the same types.
unsigned numStates(mlir::func::FuncOp function);

struct State {
  StringAttr name;
  unsigned argument = 0, result = 0;
  ElementsAttr beginsAs; // null: zeros
};
SmallVector<State> statesOf(mlir::func::FuncOp function);

/// Errors at the op unless what carries a state's attributes there is one side
/// of a state, at the place where numStates() has it.
LogicalResult verifyStateArgument(Operation *op, unsigned index,
                                  mlir::NamedAttribute attribute);
LogicalResult verifyStateResult(Operation *op, unsigned index,
                                mlir::NamedAttribute attribute);

} // namespace npu

#endif // NPU_COMPILER_DIALECT_NPU_STATES_H
