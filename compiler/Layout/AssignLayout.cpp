// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/ExactCheck.h"
#include "compiler/Layout/FoldLayout.h"
#include "compiler/Layout/LayoutStage.h"
#include "compiler/Layout/Passes.h"
#include "compiler/Layout/Pins.h"

#include "mlir/IR/Verifier.h"

using namespace npu;

/// The stage works on one block of ops that answer for their layouts.
static LogicalResult checkSource(mlir::func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitError()
           << "has " << function.getBody().getBlocks().size()
           << " blocks, the layout stage takes one";
  for (Type type : function.getArgumentTypes())
    if (!isa<RankedTensorType>(type))
      return function.emitError() << "has an argument that is no tensor";
  for (Operation &op : function.getBody().front())
    if (!isa<LayoutOpInterface, ConstantOp, mlir::func::ReturnOp>(op))
      return op.emitOpError() << "does not know layouts; only npu ops may "
                                 "reach the layout stage";
  return success();
}

static LogicalResult assignLayouts(mlir::func::FuncOp function,
                                   const TargetSpec &target,
                                   const Strategy &strategy,
                                   const LayoutOptions &options) {
  ImageAxesAnalysis axes(function);
  LayoutProblem problem(function, target, axes);
  LayoutPlan plan;
  if (failed(bindBoundary(problem, options.io)) ||
      (options.plan && failed(bindPlan(problem, *options.plan))) ||
      failed(strategy.decide(problem, plan)) || failed(holdPins(problem, plan)))
    return failure();
  applyPlan(function, plan);
  if (strategy.folds)
    foldLayouts(function, target, problem.pins);
  else
    foldConstantRelayouts(function);
  if (failed(checkLayouts(function, target)))
    return failure();
  return checkPins(problem.pins);
}

LogicalResult npu::runLayoutStage(mlir::func::FuncOp function,
                                  const TargetSpec &target,
                                  const LayoutOptions &options) {
  const Strategy *strategy = findStrategy(options.strategy);
  if (!strategy)
    return function.emitError()
           << "unknown layout strategy '" << options.strategy
           << "', expected one of: " << strategyNames();
  if (failed(checkSource(function)))
    return failure();
  mlir::OwningOpRef<mlir::func::FuncOp> source;
  if (options.verifyExactly)
    source = function.clone();
  if (failed(assignLayouts(function, target, *strategy, options)) ||
      failed(mlir::verify(function)))
    return failure();
  return source ? checkExactly(*source, function) : success();
}

namespace npu {
#define GEN_PASS_DEF_ASSIGNLAYOUT
#include "compiler/Layout/Passes.h.inc"
} // namespace npu

namespace {
struct AssignLayout : npu::impl::AssignLayoutBase<AssignLayout> {
  using AssignLayoutBase::AssignLayoutBase;

  void runOnOperation() override {
    mlir::func::FuncOp function = getOperation();
    std::string error;
    std::optional<TargetSpec> spec = loadTarget(target, error);
    LayoutOptions options;
    if (!spec || !readOptions(options, error)) {
      function.emitError() << error;
      return signalPassFailure();
    }
    if (failed(runLayoutStage(function, *spec, options)))
      signalPassFailure();
  }

  bool readOptions(LayoutOptions &options, std::string &error) {
    options.strategy = strategy;
    options.verifyExactly = verifyExactly;
    std::optional<IoLayouts> io = IoLayouts::parse(ioLayout, error);
    if (!io)
      return false;
    options.io = *io;
    if (layoutPlan.empty())
      return true;
    std::optional<PlanFile> plan = loadPlanFile(layoutPlan, error);
    if (plan)
      options.plan = std::make_shared<PlanFile>(std::move(*plan));
    return plan.has_value();
  }
};
} // namespace
