// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Colours.h"
#include "compiler/Layout/ExactCheck.h"
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

static LogicalResult prepare(LayoutProblem &problem,
                             const LayoutOptions &options) {
  problem.decision = options.decision;
  problem.objective = options.objective;
  problem.searchSeconds = options.searchSeconds;
  if (failed(bindBoundary(problem, options.io)))
    return failure();
  return options.plan ? bindPlan(problem, *options.plan) : success();
}

static LogicalResult assignLayouts(mlir::func::FuncOp function,
                                   const TargetSpec &target,
                                   const Strategy &strategy,
                                   const LayoutOptions &options,
                                   std::optional<SearchOutcome> *outcome) {
  tellBoundaryAxes(function, options.io);
  ImageAxesAnalysis axes(function);
  LayoutProblem problem(function, target, axes);
  LayoutPlan plan;
  if (failed(prepare(problem, options)) ||
      failed(strategy.decide(problem, plan)) ||
      failed(finishLayouts(problem, strategy, plan)))
    return failure();
  if (outcome)
    *outcome = plan.search;
  if (plan.algorithms.empty() || !options.replaceOps)
    return success();
  if (failed(applyAlgorithms(function, plan)))
    return failure();
  return checkLayouts(function, target);
}

FailureOr<std::vector<StrategyResult>>
npu::compareStrategies(mlir::func::FuncOp function, const TargetSpec &target,
                       const LayoutOptions &options) {
  if (failed(requireOneBlock(function)) || failed(requireNpuOps(function)))
    return failure();
  tellBoundaryAxes(function, options.io);
  ImageAxesAnalysis axes(function);
  LayoutProblem problem(function, target, axes);
  if (failed(prepare(problem, options)))
    return failure();
  return tryStrategies(problem);
}

LogicalResult npu::runLayoutStage(mlir::func::FuncOp function,
                                  const TargetSpec &target,
                                  const LayoutOptions &options,
                                  std::optional<SearchOutcome> *outcome) {
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
  if (failed(assignLayouts(function, target, *strategy, options, outcome)) ||
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
