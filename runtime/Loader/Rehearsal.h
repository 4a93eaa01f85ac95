// SPDX-License-Identifier: Apache-2.0
//
// What the program's code does with the tables, seen once before anything runs:
// npu_run is called with kernels that only look at their operands. Its code
// depends on no data, so every run does the same.
#ifndef NPU_RUNTIME_LOADER_REHEARSAL_H
#define NPU_RUNTIME_LOADER_REHEARSAL_H

#include "runtime/Loader/Image.h"

#include <string>

namespace npu::runtime {

/// Of a program whose tables are verified, for this processor: every kernel is
/// called once and in its way; each operand is the weight that the table says,
/// an input or output of its size, or lies whole in the arena; what is read was
/// written before, as a value or a part of one that is still there as a whole;
/// results share memory with the input that the table names, and with no other;
/// and the arena is as large as its values need. Returns an empty string, or
/// one clause.
std::string rehearse(const npu_program &program, const ImageBounds &bounds);

} // namespace npu::runtime

#endif // NPU_RUNTIME_LOADER_REHEARSAL_H
