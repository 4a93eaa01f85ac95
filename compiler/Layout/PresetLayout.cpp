// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/LayoutStage.h"
#include "compiler/Layout/Passes/Passes.h"
#include "compiler/Layout/Problem/Boundary.h"
#include "compiler/Layout/Strategies/Colours.h"

using namespace npu;

namespace npu {
#define GEN_PASS_DEF_PRESETLAYOUT
#include "compiler/Layout/Passes/Passes.h.inc"
} // namespace npu

namespace {
struct PresetLayout : npu::impl::PresetLayoutBase<PresetLayout> {
  using PresetLayoutBase::PresetLayoutBase;

  void runOnOperation() override {
    mlir::func::FuncOp function = getOperation();
    std::optional<TargetSpec> spec = requireTarget(function, target);
    if (!spec)
      return signalPassFailure();
    std::string error;
    std::optional<IoLayouts> io = IoLayouts::parse(ioLayout, error);
    if (!io) {
      function.emitError() << error;
      return signalPassFailure();
    }
    if (failed(requireOneBlock(function)))
      return signalPassFailure();
    if (isDecided(function))
      return; // a second run has nothing to do
    LayoutOptions options;
    options.strategy = "preset";
    options.io = *io;
    options.verifyExactly = verifyExactly;
    if (failed(readColours(function)) ||
        failed(runLayoutStage(function, *spec, options)))
      return signalPassFailure();
    eraseColours(function);
  }
};
} // namespace
