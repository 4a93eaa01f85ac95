// SPDX-License-Identifier: Apache-2.0
//
// Parts of tensors, as slices read them.
#ifndef NPU_COMPILER_FUSION_BOXES_H
#define NPU_COMPILER_FUSION_BOXES_H

#include "compiler/Dialect/NPU/NPUDialect.h"

namespace npu::rewrites {

/// Part of a tensor: so many elements of each dimension, from these on.
struct Box {
  SmallVector<int64_t> starts, extents;
};

/// What is read of a tensor that is sliced, maybe several times.
struct Read {
  Value data;
  Box box;
};

/// Through all slices of single steps above a value.
Read readOf(Value value);

/// npu.slice of a box; the data itself if that is all of it.
Value makeSlice(OpBuilder &builder, Location location, Value data,
                const Box &box);

} // namespace npu::rewrites

#endif // NPU_COMPILER_FUSION_BOXES_H
