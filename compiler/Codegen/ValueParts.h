// SPDX-License-Identifier: Apache-2.0
//
// Slices that are one piece of the memory of what they are cut from: a step of
// all steps' products, a gate of four. Nothing has to move; who reads the slice
// reads there.
#ifndef NPU_COMPILER_CODEGEN_VALUEPARTS_H
#define NPU_COMPILER_CODEGEN_VALUEPARTS_H

#include "kernels/kernel.h"

#include <cstdint>
#include <optional>

namespace npu {

/// Where the result of a slice lies in its operand, in bytes; nothing where it
/// is no slice, lies in several pieces, in another order or in blocks, or
/// begins where no value may (NPU_VALUE_ALIGNMENT).
std::optional<int64_t> partOffset(const kernels::Problem &problem);

} // namespace npu

#endif // NPU_COMPILER_CODEGEN_VALUEPARTS_H
