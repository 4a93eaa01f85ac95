// SPDX-License-Identifier: Apache-2.0
//
// What a layout plan's file holds fast, whatever a strategy decides.
#ifndef NPU_COMPILER_LAYOUT_PROBLEM_LAYOUTPINS_H
#define NPU_COMPILER_LAYOUT_PROBLEM_LAYOUTPINS_H

#include "compiler/Dialect/NPU/NPUDialect.h"

namespace npu {

struct Alternative;
/// Ops that are computed by another algorithm.
using Algorithms = llvm::DenseMap<Operation *, const Alternative *>;

/// What a layout plan's file holds fast (--layout-plan). Keyed by the source's
/// ops, which stay the same through the whole stage. Boundary values have no
/// entry: their pins are the problem's `inputs` and `outputs`.
struct LayoutPins {
  /// The layout that an op's result is stored in.
  llvm::DenseMap<Value, LayoutAttr> values;
  /// The layout that an op reads an operand in.
  llvm::DenseMap<OpOperand *, LayoutAttr> reads;
  /// The algorithm that computes an op; null: its own.
  Algorithms algorithms;

  bool empty() const {
    return values.empty() && reads.empty() && algorithms.empty();
  }
  bool touches(Operation *op) const;
  /// The same pins on a function's copy.
  LayoutPins carriedTo(mlir::func::FuncOp source,
                       mlir::func::FuncOp copy) const;
};

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_PROBLEM_LAYOUTPINS_H
