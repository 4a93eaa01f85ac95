// SPDX-License-Identifier: Apache-2.0
//
// Which values stay in on-chip memory between their producer and their readers.
#ifndef NPU_COMPILER_LAYOUT_ONCHIP_H
#define NPU_COMPILER_LAYOUT_ONCHIP_H

#include "compiler/Layout/ImageAxes.h"

namespace npu {

class TargetSpec;

/// The same whatever layouts the values get, so that what an op costs depends
/// on its own layouts only: a value is counted with the largest block padding
/// that the chip has, and with a copy for each reader.
class OnChipValues {
public:
  OnChipValues(mlir::func::FuncOp function, const TargetSpec &target,
               const ImageAxesAnalysis &axes);

  /// Of a relayout or view: of what it is made from.
  bool contains(Value value) const;
  /// Bytes that are held for such values while the op runs.
  double reserved(Operation *op) const { return held.lookup(op); }

private:
  llvm::DenseSet<Value> kept;
  llvm::DenseMap<Operation *, double> held;
};

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_ONCHIP_H
