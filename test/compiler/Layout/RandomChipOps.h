// SPDX-License-Identifier: Apache-2.0
//
// The chip's own ops (NPUChipOps.td) for random graphs.
#ifndef NPU_TEST_COMPILER_LAYOUT_RANDOMCHIPOPS_H
#define NPU_TEST_COMPILER_LAYOUT_RANDOMCHIPOPS_H

#include "compiler/Dialect/NPU/NPUDialect.h"

namespace npu::test {

/// Where random ops are made, and what of.
struct ChipOpSource {
  OpBuilder &builder;
  Location location;
  /// 0 .. count-1.
  llvm::function_ref<int64_t(int64_t)> pick;
  /// A constant of f32; null where it would be too large.
  llvm::function_ref<Value(ArrayRef<int64_t>)> constant;
  /// Its numbers are compared with others: nothing that a rounding error
  /// changes.
  bool runnable;
};

/// One of the ops on `data`, with attributes that fit; null where none does.
Value randomChipOp(const ChipOpSource &source, Value data);

} // namespace npu::test

#endif // NPU_TEST_COMPILER_LAYOUT_RANDOMCHIPOPS_H
