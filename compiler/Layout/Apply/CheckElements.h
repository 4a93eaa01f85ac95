// SPDX-License-Identifier: Apache-2.0
#ifndef NPU_COMPILER_LAYOUT_APPLY_CHECKELEMENTS_H
#define NPU_COMPILER_LAYOUT_APPLY_CHECKELEMENTS_H

#include "compiler/Dialect/NPU/NPUDialect.h"

namespace npu {

/// Runs both functions on index-tagged values: every input, constant and result
/// of a computing op gets tags of its own, one for each element; transposes,
/// reshapes and relayouts move tags as their bytes move (a free view re-reads
/// the operand's memory in the result's layout). Each computing op, and each
/// output, of `laidOut` must see the tags in the order in which that of
/// `source` sees them; one that stands for an op by another algorithm
/// (Alternatives.h) must have the constants that the replacement makes.
/// Equality, no tolerance. Fails with an error at the op.
LogicalResult checkExactly(mlir::func::FuncOp source,
                           mlir::func::FuncOp laidOut);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_APPLY_CHECKELEMENTS_H
