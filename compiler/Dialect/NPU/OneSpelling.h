// SPDX-License-Identifier: Apache-2.0
//
// Whether two values of different extents are stored as one spelling says. No
// IR in here.
#ifndef NPU_COMPILER_DIALECT_NPU_ONESPELLING_H
#define NPU_COMPILER_DIALECT_NPU_ONESPELLING_H

#include "compiler/Dialect/NPU/Digits.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace npu {

/// Whether one spelling says how both are stored, each at its own extents: what
/// an op that takes one value's dimensions for another's can read and write.
/// Blocks are the same in both, and where a dimension's extents differ, so does
/// the size of its outermost digit, with the padding in it. `knowsBlock`: of so
/// many elements; all, where nobody says.
bool haveOneSpelling(const StoredOrder &a, llvm::ArrayRef<int64_t> shapeA,
                     const StoredOrder &b, llvm::ArrayRef<int64_t> shapeB,
                     llvm::function_ref<bool(int64_t)> knowsBlock = nullptr);

/// Other spellings of what is stored alike, with other places in the order for
/// the dimension `dim`, if it is padded and all of it lies in one block: its
/// place in the order says nothing here, but where the extent is larger.
llvm::SmallVector<StoredOrder, 4> otherPlaces(const StoredOrder &layout,
                                              llvm::ArrayRef<int64_t> shape,
                                              int64_t dim);

} // namespace npu

#endif // NPU_COMPILER_DIALECT_NPU_ONESPELLING_H
