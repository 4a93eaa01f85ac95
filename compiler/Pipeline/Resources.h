// SPDX-License-Identifier: Apache-2.0
#ifndef NPU_COMPILER_PIPELINE_RESOURCES_H
#define NPU_COMPILER_PIPELINE_RESOURCES_H

#include "compiler/Support/LLVM.h"

#include "mlir/IR/BuiltinOps.h"

namespace npu {

/// Weights may lie in resources, which a printed module may leave out.
LogicalResult checkResources(mlir::ModuleOp module);

} // namespace npu

#endif // NPU_COMPILER_PIPELINE_RESOURCES_H
