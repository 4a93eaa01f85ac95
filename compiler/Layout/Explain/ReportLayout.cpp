// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Explain/LayoutExplain.h"
#include "compiler/Layout/Passes/Passes.h"

#include "llvm/Support/raw_ostream.h"

using namespace npu;

namespace npu {
#define GEN_PASS_DEF_REPORTLAYOUT
#include "compiler/Layout/Passes/Passes.h.inc"
} // namespace npu

namespace {
struct ReportLayout : npu::impl::ReportLayoutBase<ReportLayout> {
  using ReportLayoutBase::ReportLayoutBase;

  void runOnOperation() override {
    mlir::func::FuncOp function = getOperation();
    std::optional<TargetSpec> spec = requireTarget(function, target);
    if (!spec || failed(requireDecided(function)))
      return signalPassFailure();
    llvm::errs() << function.getName() << ": "
                 << explainText(reportLayouts(function, *spec));
    markAllAnalysesPreserved();
  }
};
} // namespace
