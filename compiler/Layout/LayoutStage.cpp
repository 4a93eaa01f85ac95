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
#include "compiler/Layout/Problem/Replacement.h"
#include "compiler/Target/Lacks.h"

#include "mlir/IR/Verifier.h"

using namespace npu;

static LogicalResult prepare(LayoutProblem &problem,
                             const LayoutOptions &options) {
  problem.decision = options.decision;
  problem.objective = options.objective;
  problem.limitTo(options.searchSeconds);
  if (failed(bindBoundary(problem, options.io)))
    return failure();
  if (failed(checkReplacements(problem)))
    return failure();
  if (options.plan && failed(bindPlan(problem, *options.plan)))
    return failure();
  return bindStates(problem);
}

/// Puts in what was chosen. A set of ops cannot be compared with the op that it
/// replaces by what they read: with `source`, all else is, before, and the sets
/// by themselves.
static LogicalResult replaceOps(mlir::func::FuncOp function,
                                const TargetSpec &target,
                                const LayoutOptions &options,
                                const LayoutPlan &plan,
                                mlir::func::FuncOp source) {
  const bool hasSets = llvm::any_of(
      plan.algorithms, [](const auto &one) { return one.second->isSet(); });
  if (source && hasSets && failed(checkExactly(source, function)))
    return failure();
  if (failed(applyAlgorithms(function, plan, target, options.objective,
                             /*verify=*/source != nullptr)))
    return failure();
  placeMoves(function, target);
  if (failed(checkLayouts(function, target)))
    return failure();
  return source && !hasSets ? checkExactly(source, function) : success();
}

static LogicalResult assignLayouts(mlir::func::FuncOp function,
                                   const TargetSpec &target,
                                   const Strategy &strategy,
                                   const LayoutOptions &options,
                                   std::optional<SearchOutcome> *outcome,
                                   mlir::func::FuncOp source) {
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
  if (!plan.algorithms.empty() && options.replaceOps)
    return replaceOps(function, target, options, plan, source);
  return source ? checkExactly(source, function) : success();
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
  MLIRContext *context = function.getContext();
  std::optional<Strategy> strategy = findStrategy(options.strategy, context);
  if (!strategy)
    return function.emitError()
           << "unknown layout strategy '" << options.strategy
           << "', expected one of: " << strategyNames(context);
  if (std::string why = whyNot(options.objective, target); !why.empty())
    return function.emitError() << why;
  if (failed(requireOneBlock(function)) || failed(requireNpuOps(function)))
    return failure();
  mlir::OwningOpRef<mlir::func::FuncOp> source;
  if (options.verifyExactly)
    source = function.clone();
  if (failed(assignLayouts(function, target, *strategy, options, outcome,
                           source ? *source : mlir::func::FuncOp())))
    return failure();
  return mlir::verify(function);
}
