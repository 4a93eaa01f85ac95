// SPDX-License-Identifier: Apache-2.0
//
// What a transformer does with the columns of a matrix, for random graphs.
#ifndef NPU_TEST_COMPILER_LAYOUT_RANDOMHEADS_H
#define NPU_TEST_COMPILER_LAYOUT_RANDOMHEADS_H

#include "compiler/Dialect/NPU/NPUDialect.h"

namespace npu::test {

/// Splits the columns into heads, brings these forward, and (`attends`)
/// multiplies them with one another and merges them again. Null for a value
/// whose columns cannot be split.
Value randomHeads(OpBuilder &builder, Location location,
                  llvm::function_ref<int64_t(int64_t)> pick, Value data,
                  bool attends);

} // namespace npu::test

#endif // NPU_TEST_COMPILER_LAYOUT_RANDOMHEADS_H
