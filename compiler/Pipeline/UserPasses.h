// SPDX-License-Identifier: Apache-2.0
//
// --pass-pipeline-after: passes between the stages.
#ifndef NPU_COMPILER_PIPELINE_USERPASSES_H
#define NPU_COMPILER_PIPELINE_USERPASSES_H

#include "compiler/Support/LLVM.h"

#include "mlir/Pass/PassManager.h"

namespace npu {

/// Adds a pipeline in MLIR's spelling, of passes of npuc, of MLIR or of loaded
/// plugins; fails after an error.
LogicalResult addPipeline(mlir::PassManager &manager, StringRef pipeline);

} // namespace npu

#endif // NPU_COMPILER_PIPELINE_USERPASSES_H
