// SPDX-License-Identifier: Apache-2.0
//
// Whether two values of different extents are stored as one spelling says. No
// IR in here.
#ifndef NPU_COMPILER_DIALECT_NPU_ONESPELLING_H
#define NPU_COMPILER_DIALECT_NPU_ONESPELLING_H

#include "compiler/Dialect/NPU/Digits.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace npu {

/// Whether one spelling says how both are stored, each at its own extents: what
/// an op that takes one value's dimensions for another's can read and write.
/// Blocks are the same in both, and where a dimension's extents differ, so does
/// the size of its outermost digit, with the padding in it. `knowsBlock`: of so
/// many elements; all, where nobody says.
bool haveOneSpelling(const StoredOrder &a, llvm::ArrayRef<int64_t> shapeA,
                     const StoredOrder &b, llvm::ArrayRef<int64_t> shapeB,
                     llvm::function_ref<bool(int64_t)> knowsBlock = nullptr);

} // namespace npu

#endif // NPU_COMPILER_DIALECT_NPU_ONESPELLING_H
