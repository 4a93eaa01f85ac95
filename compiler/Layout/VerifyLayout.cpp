// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/LayoutPlan.h"
#include "compiler/Layout/Passes.h"

using namespace npu;

LogicalResult npu::requireDecided(mlir::func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitError()
           << "has " << function.getBody().getBlocks().size()
           << " blocks, the layout stage takes one";
  bool decided = true;
  Operation *culprit = nullptr;
  function.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (isa<RankedTensorType>(type) && !getLayout(type) && decided) {
        decided = false;
        culprit = op;
      }
  });
  for (Type type : function.getArgumentTypes())
    if (isa<RankedTensorType>(type) && !getLayout(type))
      return function.emitError()
             << "has an argument without a layout: " << type;
  if (decided)
    return success();
  return culprit->emitOpError() << "has a tensor without a layout: "
                                << culprit->getResult(0).getType();
}

namespace npu {
#define GEN_PASS_DEF_VERIFYLAYOUT
#include "compiler/Layout/Passes.h.inc"
} // namespace npu

namespace {
struct VerifyLayout : npu::impl::VerifyLayoutBase<VerifyLayout> {
  using VerifyLayoutBase::VerifyLayoutBase;

  void runOnOperation() override {
    mlir::func::FuncOp function = getOperation();
    std::string error;
    std::optional<TargetSpec> spec = loadTarget(target, error);
    if (!spec) {
      function.emitError() << error;
      return signalPassFailure();
    }
    if (failed(requireDecided(function)) ||
        failed(checkLayouts(function, *spec)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
