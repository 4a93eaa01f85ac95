// SPDX-License-Identifier: Apache-2.0
//
// What LLVM's own reader of command lines says, as our messages say it.
#ifndef NPU_COMPILER_SUPPORT_LLVMOPTIONS_H
#define NPU_COMPILER_SUPPORT_LLVMOPTIONS_H

#include "compiler/Support/LLVM.h"

#include <string>

namespace npu {

/// "unknown option '--x'; did you mean '--y'?" of the lines that LLVM printed
/// for `program`.
std::string llvmComplaint(StringRef said, StringRef program);

} // namespace npu

#endif // NPU_COMPILER_SUPPORT_LLVMOPTIONS_H
