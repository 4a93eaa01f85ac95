// SPDX-License-Identifier: Apache-2.0
//
// Types of values and what must follow them.
#ifndef NPU_COMPILER_LAYOUT_APPLY_RETYPE_H
#define NPU_COMPILER_LAYOUT_APPLY_RETYPE_H

#include "compiler/Dialect/NPU/NPUDialect.h"

namespace npu {

/// Of the value alone, not of what must follow.
void setLayout(Value value, LayoutAttr layout);
/// The type of a fused kernel's operand follows outside; sets it inside too.
void retypeOperand(OpOperand &operand);
/// Sets the layout of the op's only result. Inside a fused kernel the root's
/// result and every elementwise result are stored as the kernel's.
void retypeResult(Operation *op, LayoutAttr layout);
/// The function's type from its arguments and its return.
void updateSignature(mlir::func::FuncOp function);
/// Takes all layouts, relayouts and notes of a decision away: a module may come
/// from --emit=mlir, and is decided again.
void forgetLayouts(mlir::func::FuncOp function);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_APPLY_RETYPE_H
