// SPDX-License-Identifier: Apache-2.0
//
// Files of others in memory, within the budgets.
#ifndef NPU_COMPILER_SUPPORT_INPUTTEXT_H
#define NPU_COMPILER_SUPPORT_INPUTTEXT_H

#include "compiler/Support/Budget.h"

#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace npu {

/// The bytes of a regular file, followed by a zero; "-" is standard input. Null
/// and one clause in `error` ("cannot be read: ...") where there are none, or
/// more than Budget::File or Budget::Text allows.
std::unique_ptr<llvm::MemoryBuffer> readInput(StringRef path, Budget budget,
                                              std::string &error);

/// What MLIR's parser of text would not survive, as a clause; empty if nothing:
/// tooDeep(), or a resource that wants an alignment of 0.
std::string whyNotModuleText(StringRef text);

} // namespace npu

#endif // NPU_COMPILER_SUPPORT_INPUTTEXT_H
