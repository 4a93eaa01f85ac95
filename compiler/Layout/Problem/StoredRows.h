// SPDX-License-Identifier: Apache-2.0
//
// Which elements of a tensor lie next to each other in a layout, and how many
// bytes those are.
#ifndef NPU_COMPILER_LAYOUT_PROBLEM_STOREDROWS_H
#define NPU_COMPILER_LAYOUT_PROBLEM_STOREDROWS_H

#include "compiler/Dialect/NPU/NPUDialect.h"

namespace npu {

/// The dimension whose neighbours lie next to each other in memory. One element
/// has none: blocks of it are padding, whichever dimension they are written of.
int64_t innermostDim(RankedTensorType type, LayoutAttr layout);

/// Bytes in a row of a tensor's innermost dimension, of blocked tensors in a
/// row of blocks.
double rowBytesOf(RankedTensorType type, LayoutAttr layout);

/// Bytes of a dimension and all that lie within it.
double bytesWithin(RankedTensorType type, LayoutAttr layout, int64_t dim);

/// Elements of a dimension in a layout, those that pad its blocks too.
int64_t storedExtent(RankedTensorType type, LayoutAttr layout, int64_t dim);

/// The dimensions of more than one element in the order in which they lie in
/// memory, the innermost first; a blocked one twice, unless a block holds all.
SmallVector<int64_t> storedDims(RankedTensorType type, LayoutAttr layout);

/// Bytes in a row of a part that is cut along the dimensions with this sign:
/// the last of them is cut first.
double rowsCutAlong(RankedTensorType type, LayoutAttr layout, StringRef dims,
                    char sign);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_PROBLEM_STOREDROWS_H
