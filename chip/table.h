// SPDX-License-Identifier: Apache-2.0
//
// The program as the bytes of its table.
#ifndef NPU_CHIP_TABLE_H
#define NPU_CHIP_TABLE_H

#include "chip/program.h"

namespace npu::chip {

std::string encode(const ProgramT &program);

/// Returns an empty string, or one clause that says what is wrong: bytes that
/// are no table, a newer version, or what verify() finds.
std::string decode(const std::string &bytes, ProgramT &out);

} // namespace npu::chip

#endif // NPU_CHIP_TABLE_H
