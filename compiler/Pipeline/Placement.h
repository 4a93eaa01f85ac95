// SPDX-License-Identifier: Apache-2.0
//
// What the processor beside the chip runs, told to people.
#ifndef NPU_COMPILER_PIPELINE_PLACEMENT_H
#define NPU_COMPILER_PIPELINE_PLACEMENT_H

#include "compiler/Support/LLVM.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>
#include <vector>

namespace npu {

/// An op of the model that the processor runs.
struct ReportedPlacement {
  std::string node, op;    // "Softmax 's1'", "softmax"
  std::string why, change; // it is not on the chip; it would be
};

std::vector<ReportedPlacement> placementOf(mlir::func::FuncOp function);

/// Fails with one error that names all of them where there are more than
/// `most`.
LogicalResult checkPlacement(mlir::func::FuncOp function,
                             ArrayRef<ReportedPlacement> placement,
                             std::optional<int64_t> most);

/// For --explain-placement: lines of text. `fallback`: the processor's target.
std::string placementText(ArrayRef<ReportedPlacement> placement,
                          StringRef fallback);

} // namespace npu

#endif // NPU_COMPILER_PIPELINE_PLACEMENT_H
