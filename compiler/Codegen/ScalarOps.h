// SPDX-License-Identifier: Apache-2.0
//
// Each elementwise function (NPU_INSTR_KINDS) as arith and math ops, on scalars
// or vectors alike. Half types are computed in f32.
#ifndef NPU_COMPILER_CODEGEN_SCALAROPS_H
#define NPU_COMPILER_CODEGEN_SCALAROPS_H

#include "compiler/Support/LLVM.h"
#include "format/program_format.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace npu {

/// Whether emitInstr has a form for this instruction on operands of these
/// types; if not, the library's kernel runs instead.
bool canEmitInstr(const npu_instr &instr, ArrayRef<int32_t> operandTypes);

/// The instruction's value. `operands` have computeType of `operandTypes`.
Value emitInstr(mlir::ImplicitLocOpBuilder &builder, const npu_instr &instr,
                ArrayRef<Value> operands, ArrayRef<int32_t> operandTypes);

/// The scalar type that values of an npu_dtype are computed in.
Type computeType(MLIRContext *context, int32_t dtype);
/// The scalar type that they have in memory.
Type memoryType(MLIRContext *context, int32_t dtype);

/// Between memory and compute types; `value` may be a vector.
Value fromMemory(mlir::ImplicitLocOpBuilder &builder, Value value,
                 int32_t dtype);
Value toMemory(mlir::ImplicitLocOpBuilder &builder, Value value, int32_t dtype);

/// A constant of the type (or a splat of its vector shape).
Value constantLike(mlir::ImplicitLocOpBuilder &builder, Type type,
                   double number);

} // namespace npu

#endif // NPU_COMPILER_CODEGEN_SCALAROPS_H
