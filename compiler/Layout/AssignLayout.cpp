// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Colours.h"
#include "compiler/Layout/ExactCheck.h"
#include "compiler/Layout/FoldLayout.h"
#include "compiler/Layout/LayoutStage.h"
#include "compiler/Layout/Passes.h"

#include "mlir/IR/Verifier.h"

using namespace npu;

LogicalResult npu::requireNpuOps(mlir::func::FuncOp function) {
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
  problem.decision = options.decision;
  LayoutPlan plan;
  if (failed(bindBoundary(problem, options.io)) ||
      failed(strategy.decide(problem, plan)))
    return failure();
  applyPlan(function, plan);
  if (strategy.folds)
    foldLayouts(function, target);
  else
    foldConstantRelayouts(function);
  return checkLayouts(function, target);
}

LogicalResult npu::runLayoutStage(mlir::func::FuncOp function,
                                  const TargetSpec &target,
                                  const LayoutOptions &options) {
  const Strategy *strategy = findStrategy(options.strategy);
  if (!strategy)
    return function.emitError()
           << "unknown layout strategy '" << options.strategy
           << "', expected one of: " << strategyNames();
  if (failed(requireOneBlock(function)) || failed(requireNpuOps(function)))
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
    std::optional<IoLayouts> io;
    std::optional<DesiredLayouts> desired;
    if (spec)
      io = IoLayouts::parse(ioLayout, error);
    if (io)
      desired = DesiredLayouts::parse(desiredLayouts, error);
    if (desired && !isColour(defaultColour)) {
      error = "--default-colour: '" + defaultColour + "' is no colour, " +
              colourHelp.str();
      desired.reset();
    }
    if (!desired) {
      function.emitError() << error;
      return signalPassFailure();
    }
    LayoutOptions options;
    options.strategy = strategy;
    options.io = *io;
    options.verifyExactly = verifyExactly;
    options.decision.desired = *desired;
    options.decision.defaultColour = defaultColour;
    if (failed(runLayoutStage(function, *spec, options)))
      signalPassFailure();
  }
};
} // namespace
