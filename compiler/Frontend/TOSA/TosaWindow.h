// SPDX-License-Identifier: Apache-2.0
//
// How TOSA writes windows.
#ifndef NPU_COMPILER_FRONTEND_TOSA_TOSAWINDOW_H
#define NPU_COMPILER_FRONTEND_TOSA_TOSAWINDOW_H

#include "compiler/Frontend/TOSA/TosaNode.h"

namespace npu {

/// Beginnings, then ends, from pairs as TOSA has them.
Ints padsFromPairs(ArrayRef<int64_t> pairs);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_TOSA_TOSAWINDOW_H
