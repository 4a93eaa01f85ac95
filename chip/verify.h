// SPDX-License-Identifier: Apache-2.0
//
// What can be known of a program without running it.
#ifndef NPU_CHIP_VERIFY_H
#define NPU_CHIP_VERIFY_H

#include "chip/program.h"

namespace npu::chip {

/// Of commands that a run executes, loops included.
inline constexpr int64_t maxExecuted = int64_t{1} << 32;

/// Returns an empty string, or one clause that names the command, the kernel
/// and the node, what was found and what was expected. Afterwards every address
/// of every command lies within its region or its buffer's slot, buffers that
/// are held at the same time lie apart, tiles are problems that the kernel
/// library takes, and loops end.
std::string verify(const ProgramT &program);

/// "command 12 of kernel 'k3_conv2d' (node 'conv1')"
std::string nameOf(const ProgramT &program, size_t command);

} // namespace npu::chip

#endif // NPU_CHIP_VERIFY_H
