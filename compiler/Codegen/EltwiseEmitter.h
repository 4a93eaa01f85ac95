// SPDX-License-Identifier: Apache-2.0
//
// The generated kernels: a fused elementwise chain as one vectorised function
//   void name(void *const *operands, int64_t begin, int64_t end)
// over rows [begin, end) of its loop nest (over elements, where one loop is all
// there is), to be run by npu_imports.parallel_for.
#ifndef NPU_COMPILER_CODEGEN_ELTWISEEMITTER_H
#define NPU_COMPILER_CODEGEN_ELTWISEEMITTER_H

#include "compiler/Codegen/LoopNest.h"
#include "compiler/Support/LLVM.h"

#include <optional>

namespace npu {

/// What parallel_for needs to know.
struct GeneratedKernel {
  std::string symbol;
  int64_t count; // rows or elements
  int64_t grain; // least worth a thread
};

/// Whether emitEltwise has a form for this problem; else the kernel library's
/// own elementwise kernel runs.
bool canEmitEltwise(const kernels::Problem &problem);

/// Appends the function at the builder's place. `splats[i]` is the value of
/// input i where it is a constant of equal elements: it becomes an immediate.
GeneratedKernel emitEltwise(OpBuilder &builder, Location location,
                            StringRef symbol, const kernels::Problem &problem,
                            ArrayRef<std::optional<double>> splats);

} // namespace npu

#endif // NPU_COMPILER_CODEGEN_ELTWISEEMITTER_H
