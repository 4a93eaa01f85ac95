// SPDX-License-Identifier: Apache-2.0
#include "compiler/Pipeline/UserPasses.h"

#include "compiler/Fusion/Passes.h"
#include "compiler/Layout/Passes/Passes.h"
#include "compiler/Support/MarkedError.h"

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
  // MLIR shows the pipeline once more, in the lines behind the first.
  StringRef why = StringRef(wrong).split('\n').first;
  why = why.substr(why.find("error: ") == StringRef::npos
                       ? 0
                       : why.find("error: ") + strlen("error: "));
  return emitMarked(mlir::UnknownLoc::get(manager.getContext()), wrongUsage)
         << "--pass-pipeline-after: '" << pipeline
         << "' is no pipeline: " << why;
}
