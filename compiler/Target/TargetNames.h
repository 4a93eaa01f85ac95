// SPDX-License-Identifier: Apache-2.0
//
// Which names of targets there are.
#ifndef NPU_COMPILER_TARGET_TARGETNAMES_H
#define NPU_COMPILER_TARGET_TARGETNAMES_H

#include "compiler/Support/LLVM.h"

namespace npu {

/// Whether this is the name of a shipped target, or a path.
bool isTargetThere(StringRef nameOrPath);

} // namespace npu

#endif // NPU_COMPILER_TARGET_TARGETNAMES_H
