// SPDX-License-Identifier: Apache-2.0
//
// Names of MLIR and LLVM that the compiler uses unqualified inside npu::.
#ifndef NPU_COMPILER_SUPPORT_LLVM_H
#define NPU_COMPILER_SUPPORT_LLVM_H

#include "mlir/Support/LLVM.h"

namespace npu {
using namespace ::mlir; // NOLINT(google-build-using-namespace)
} // namespace npu

#endif // NPU_COMPILER_SUPPORT_LLVM_H
