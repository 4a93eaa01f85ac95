// SPDX-License-Identifier: Apache-2.0
//
// A layout in letters, as files of ours have it.
#ifndef NPU_COMPILER_DIALECT_NPU_LETTERS_H
#define NPU_COMPILER_DIALECT_NPU_LETTERS_H

#include "compiler/Dialect/NPU/Digits.h"

#include <string>

namespace npu {

/// "acdb", "aBcd16b", "scalar".
std::string lettersOf(const StoredOrder &layout);

} // namespace npu

#endif // NPU_COMPILER_DIALECT_NPU_LETTERS_H
