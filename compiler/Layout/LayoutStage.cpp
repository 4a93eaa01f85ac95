// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/LayoutStage.h"

#include "compiler/Layout/Apply/ApplyPlan.h"
#include "compiler/Layout/Apply/CheckElements.h"
#include "compiler/Layout/Apply/VerifyLayout.h"
#include "compiler/Layout/Passes/Passes.h"
#include "compiler/Layout/PlanFile/PlanBinding.h"
#include "compiler/Layout/Problem/Boundary.h"
#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"

#include "mlir/IR/Verifier.h"

using namespace npu;

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
  if (failed(readyBoundary(function, target, options.io)))
    return failure();
  ImageAxesAnalysis axes(function);
  LayoutProblem problem(function, target, axes);
  if (outcome) // who does not ask how far a search came wants no proof of it
    problem.certifiedModel = options.certifiedModel;
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
                       const LayoutOptions &options,
                       const StrategyResult *decided) {
  if (failed(requireOneBlock(function)) || failed(requireNpuOps(function)) ||
      failed(readyBoundary(function, target, options.io)))
    return failure();
  ImageAxesAnalysis axes(function);
  LayoutProblem problem(function, target, axes);
  if (failed(prepare(problem, options)))
    return failure();
  return tryStrategies(problem, decided);
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
  if (std::string why = whyNot(options.objective, target); !why.empty())
    return function.emitError() << why;
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
