// SPDX-License-Identifier: Apache-2.0
//
// The copy that gives a network's output memory of its own.
#ifndef NPU_COMPILER_DIALECT_NPU_OUTPUTCOPY_H
#define NPU_COMPILER_DIALECT_NPU_OUTPUTCOPY_H

#include "compiler/Dialect/NPU/NPUDialect.h"

namespace npu {

/// A reshape to the same shape that is a kernel even where a view would be
/// free.
Value makeCopy(OpBuilder &builder, Location location, Value value);

bool isCopy(Operation *op);

} // namespace npu

#endif // NPU_COMPILER_DIALECT_NPU_OUTPUTCOPY_H
