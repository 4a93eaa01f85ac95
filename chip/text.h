// SPDX-License-Identifier: Apache-2.0
//
// A program as people read it.
#ifndef NPU_CHIP_TEXT_H
#define NPU_CHIP_TEXT_H

#include "chip/program.h"

namespace npu::chip {

/// One line for each command, loops indented, names as a terminal may show
/// them.
std::string textOf(const ProgramT &program);

} // namespace npu::chip

#endif // NPU_CHIP_TEXT_H
