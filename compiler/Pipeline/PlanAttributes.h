// SPDX-License-Identifier: Apache-2.0
//
// The plan of memory and tiles as attributes, for who reads the IR.
#ifndef NPU_COMPILER_PIPELINE_PLANATTRIBUTES_H
#define NPU_COMPILER_PIPELINE_PLANATTRIBUTES_H

#include "compiler/Codegen/ProgramPlan.h"

namespace npu {

/// On the function, npu.memory: the bytes of arena and weights. On each op that
/// is a kernel, npu.kernel: its name, where each operand and result lies, its
/// tile and what else stays on the chip meanwhile.
void attachPlan(mlir::func::FuncOp function, const ProgramPlan &program);

/// Takes these attributes away from an op, or a function.
void forgetPlan(Operation *op);

} // namespace npu

#endif // NPU_COMPILER_PIPELINE_PLANATTRIBUTES_H
