// SPDX-License-Identifier: Apache-2.0
//
// Slices that are one piece of the memory of what they are cut from: a step of
// all steps' products, a gate of four. Nothing has to move; who reads the slice
// reads there.
#ifndef NPU_COMPILER_KERNEL_FREEPART_H
#define NPU_COMPILER_KERNEL_FREEPART_H

#include "compiler/Dialect/NPU/NPUDialect.h"

#include <optional>

namespace npu {

/// Where the result of a slice lies in its operand, in bytes, if the operand,
/// then the result, have these layouts; nothing where it is no slice, lies in
/// several pieces, in another order or in blocks, begins where no value may
/// (NPU_VALUE_ALIGNMENT), or where one of both is the function's input or
/// output, or a constant.
std::optional<int64_t> freePart(Operation *op, ArrayRef<LayoutAttr> layouts);

} // namespace npu

#endif // NPU_COMPILER_KERNEL_FREEPART_H
