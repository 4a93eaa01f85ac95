// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Apply/CheckElements.h"
#include "compiler/Layout/LayoutStage.h"
#include "compiler/Layout/Passes/Passes.h"
#include "compiler/Layout/Problem/Boundary.h"
#include "compiler/Layout/Strategies/Colours.h"

#include "mlir/IR/Verifier.h"

using namespace npu;

namespace npu {
#define GEN_PASS_DEF_ASSIGNLAYOUT
#include "compiler/Layout/Passes/Passes.h.inc"
} // namespace npu

namespace {
struct AssignLayout : npu::impl::AssignLayoutBase<AssignLayout> {
  using AssignLayoutBase::AssignLayoutBase;

  void runOnOperation() override {
    mlir::func::FuncOp function = getOperation();
    std::optional<TargetSpec> spec = requireTarget(function, target);
    if (!spec)
      return signalPassFailure();
    std::string error;
    LayoutOptions options;
    if (!readOptions(options, error)) {
      function.emitError() << error;
      return signalPassFailure();
    }
    if (failed(runLayoutStage(function, *spec, options)))
      signalPassFailure();
  }

  bool readOptions(LayoutOptions &options, std::string &error) {
    options.strategy = strategy;
    options.searchSeconds = seconds;
    options.verifyExactly = verifyExactly;
    std::optional<IoLayouts> io = IoLayouts::parse(ioLayout, error);
    if (!io)
      return false;
    options.io = *io;
    std::optional<Objective> goal = parseObjective(objective);
    if (!goal) {
      error = "unknown objective '" + objective +
              "', expected one of: " + objectiveNames();
      return false;
    }
    options.objective = *goal;
    std::optional<DesiredLayouts> desired =
        DesiredLayouts::parse(desiredLayouts, error);
    if (!desired)
      return false;
    options.decision.desired = *desired;
    if (!isColour(defaultColour)) {
      error = "--default-colour: '" + defaultColour + "' is no colour, " +
              colourHelp.str();
      return false;
    }
    options.decision.defaultColour = defaultColour;
    if (layoutPlan.empty())
      return true;
    std::optional<PlanFile> plan = loadPlanFile(layoutPlan, error);
    if (plan)
      options.plan = std::make_shared<PlanFile>(std::move(*plan));
    return plan.has_value();
  }
};
} // namespace
