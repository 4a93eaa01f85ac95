// SPDX-License-Identifier: Apache-2.0
#ifndef NPU_COMPILER_PIPELINE_OUTPUTPROBLEM_H
#define NPU_COMPILER_PIPELINE_OUTPUTPROBLEM_H

#include "compiler/Support/LLVM.h"

#include <string>

namespace npu {

/// Why no file can be written at `path`; empty if nothing is known against it.
/// Asked before a long compilation.
std::string outputProblem(StringRef path);

} // namespace npu

#endif // NPU_COMPILER_PIPELINE_OUTPUTPROBLEM_H
