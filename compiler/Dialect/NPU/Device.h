// SPDX-License-Identifier: Apache-2.0
//
// Where an op runs: on the chip, or on the processor beside it.
#ifndef NPU_COMPILER_DIALECT_NPU_DEVICE_H
#define NPU_COMPILER_DIALECT_NPU_DEVICE_H

#include "compiler/Dialect/NPU/NPUDialect.h"

namespace npu {

/// Of what the processor runs: a dictionary of two texts, `why` the chip does
/// not, and the `change` by which it would.
inline constexpr StringRef onProcessorAttr = "npu.on_processor";

inline bool isOnProcessor(Operation *op) {
  return op->hasAttr(onProcessorAttr);
}

void putOnProcessor(Operation *op, StringRef why, StringRef change);

/// What stands in the mark of an op that the processor runs.
struct ReasonBesideChip {
  StringRef why, change;
};
ReasonBesideChip reasonBesideChip(Operation *op);

/// The ops of the model that the processor runs, also those within kernels; in
/// program order.
SmallVector<Operation *> opsOnProcessor(mlir::func::FuncOp function);

} // namespace npu

#endif // NPU_COMPILER_DIALECT_NPU_DEVICE_H
