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

/// Extents of one dimension in an op's values.
struct OtherExtents {
  int64_t extent; // in the value that the spellings are for
  llvm::ArrayRef<int64_t> all;
};

/// Other spellings of what is stored alike that mean something else for a value
/// of another extent in dimension `dim`. Where its outermost digit is padded,
/// blocks of each size that fills it are the same here; one block that holds it
/// all is the same wherever the dimension stands in the order. Where it is not
/// padded, it needs no block. Padding that is said of another dimension, but
/// lies around all of this one, may be this one's, which some value of the op
/// fills. Only blocks that `knowsBlock` has, of so many elements.
llvm::SmallVector<StoredOrder, 4>
respellings(const StoredOrder &layout, llvm::ArrayRef<int64_t> shape,
            int64_t dim, OtherExtents others,
            llvm::function_ref<bool(int64_t)> knowsBlock);

} // namespace npu

#endif // NPU_COMPILER_DIALECT_NPU_ONESPELLING_H
