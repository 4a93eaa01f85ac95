// SPDX-License-Identifier: Apache-2.0
//
// In which two pieces a network cuts the dimensions of its values: windows of
// an image are a dimension of eight by eight, their pixels one of seven by
// seven. Told by reshapes and carried to their neighbours.
#ifndef NPU_COMPILER_LAYOUT_PROBLEM_DIMENSIONCUTS_H
#define NPU_COMPILER_LAYOUT_PROBLEM_DIMENSIONCUTS_H

#include "compiler/Dialect/NPU/NPUDialect.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/IntEqClasses.h"

namespace npu {

/// Computed once per function; does not change when layouts do, nor when
/// relayouts come and go.
class DimensionCuts {
public:
  explicit DimensionCuts(mlir::func::FuncOp function);

  /// Of each dimension how many elements its inner piece has; 0: it is not cut,
  /// or in more than two. Empty where none is cut.
  SmallVector<int64_t, 6> innerOf(Value value) const;

private:
  void number(Value value);
  void join(Operation *op);
  void cut(Operation *op);

  llvm::DenseMap<Value, unsigned> numbers; // of the first dimension
  unsigned count = 0;
  llvm::IntEqClasses classes;              // of dimensions that are one
  llvm::DenseMap<unsigned, int64_t> inner; // by class
};

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_PROBLEM_DIMENSIONCUTS_H
