// SPDX-License-Identifier: Apache-2.0
//
// From an npu op to the kernel library's Problem: the only place that knows how
// the dialect maps to kernels. Codegen, the evaluator and cost queries share
// it.
#ifndef NPU_COMPILER_KERNEL_KERNELPROBLEM_H
#define NPU_COMPILER_KERNEL_KERNELPROBLEM_H

#include "compiler/Dialect/NPU/NPUDialect.h"
#include "kernels/kernel.h"

namespace npu {

/// The problem of one op that implements KernelOpInterface, or of npu.fused.
/// Undecided layouts count as row-major. Constant operands get
/// weights_offset 0; codegen fills in the true offset.
kernels::Problem makeProblem(Operation *op, int threads);

/// The same, if operands and results were stored like that.
kernels::Problem makeProblem(Operation *op, int threads,
                             ArrayRef<LayoutAttr> layouts);

/// Whether the op becomes a kernel (constants, views and terminators do not).
bool isKernel(Operation *op);

/// Whether transpose, reshape or relayout leaves every byte where it is, given
/// the layouts of operand and result.
bool isFreeView(Operation *op);

/// The value whose bytes a chain of free views shows.
Value viewedValue(Value value);

} // namespace npu

#endif // NPU_COMPILER_KERNEL_KERNELPROBLEM_H
