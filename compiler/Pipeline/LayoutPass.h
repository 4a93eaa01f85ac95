// SPDX-License-Identifier: Apache-2.0
//
// The layout stage as a pass of a whole compilation.
#ifndef NPU_COMPILER_PIPELINE_LAYOUTPASS_H
#define NPU_COMPILER_PIPELINE_LAYOUTPASS_H

#include "compiler/Support/LLVM.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <functional>

namespace npu {

/// The layout stage with options that npu-opt's pass of that name cannot have,
/// so that MLIR prints and times it as a pass.
class LayoutPass
    : public mlir::PassWrapper<LayoutPass,
                               mlir::OperationPass<mlir::ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LayoutPass)

  explicit LayoutPass(std::function<LogicalResult()> work)
      : work(std::move(work)) {}

  StringRef getArgument() const override { return "npu-assign-layout"; }
  StringRef getName() const override { return "AssignLayout"; }
  void runOnOperation() override {
    if (failed(work()))
      signalPassFailure();
  }

private:
  std::function<LogicalResult()> work;
};

} // namespace npu

#endif // NPU_COMPILER_PIPELINE_LAYOUTPASS_H
