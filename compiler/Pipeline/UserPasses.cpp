// SPDX-License-Identifier: Apache-2.0
#include "compiler/Pipeline/UserPasses.h"

#include "compiler/Fusion/Passes.h"
#include "compiler/Layout/Passes/Passes.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

#include <mutex>

using namespace npu;

LogicalResult npu::addPipeline(mlir::PassManager &manager, StringRef pipeline) {
  static std::once_flag registered;
  std::call_once(registered, [] {
    registerFusionPasses();
    registerLayoutPasses();
    mlir::registerCanonicalizerPass();
    mlir::registerCSEPass();
  });
  std::string wrong;
  llvm::raw_string_ostream stream(wrong);
  if (succeeded(mlir::parsePassPipeline(pipeline, manager, stream)))
    return success();
  return mlir::emitError(mlir::UnknownLoc::get(manager.getContext()))
         << "--pass-pipeline-after: '" << pipeline
         << "' is no pipeline: " << StringRef(wrong).trim();
}
