// SPDX-License-Identifier: Apache-2.0
//
// The one evaluator: an op on constants is computed by its reference kernel, so
// compile-time and run-time results agree by construction.
#ifndef NPU_COMPILER_KERNEL_EVALUATOR_H
#define NPU_COMPILER_KERNEL_EVALUATOR_H

#include "compiler/Dialect/NPU/NPUDialect.h"

namespace npu {

/// The results of `op` (one with a kernel, or of such steps) on constant
/// operands, in logical row-major order. Failure leaves an error at the op.
FailureOr<SmallVector<ElementsAttr>> evaluate(Operation *op,
                                              ArrayRef<ElementsAttr> operands);

/// A small constant that an op blows up is better kept small in the file and
/// blown up when the model runs: such an op is not folded.
bool inflates(Operation *op);

/// Replaces `op` by npu.constant if all its operands are constants; returns
/// whether it did. It does not where that would turn little data into much.
/// Front ends call it on each op as they create it, so that shape arithmetic
/// never reaches the graph.
FailureOr<bool> foldIfConstant(OpBuilder &builder, Operation *op);

} // namespace npu

#endif // NPU_COMPILER_KERNEL_EVALUATOR_H
