// SPDX-License-Identifier: Apache-2.0
//
// How many bytes a value takes in a layout, and whether two layouts are one.
#ifndef NPU_COMPILER_LAYOUT_PROBLEM_STORAGE_H
#define NPU_COMPILER_LAYOUT_PROBLEM_STORAGE_H

#include "compiler/Dialect/NPU/NPUDialect.h"

namespace npu {

int64_t bytesOfElement(RankedTensorType type);

/// Stored bytes of a value, block padding included. Without a layout:
/// row-major.
int64_t storedBytes(RankedTensorType type);
int64_t storedBytes(RankedTensorType type, LayoutAttr layout);
int64_t storedBytes(Value value);

/// Whether both layouts put the value's elements in the same places; false
/// where one of them is null.
bool sameStorage(Value value, LayoutAttr a, LayoutAttr b);

/// Whether the value would be stored as in one of these.
bool isAmong(Value value, LayoutAttr layout, ArrayRef<LayoutAttr> list);

/// Whether the value's own layout puts them there.
bool isStoredAs(Value value, LayoutAttr layout);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_PROBLEM_STORAGE_H
