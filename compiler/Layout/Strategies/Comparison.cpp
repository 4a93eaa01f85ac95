// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Strategies/Comparison.h"

#include "compiler/Layout/Apply/ApplyPlan.h"
#include "compiler/Layout/Apply/FoldLayout.h"
#include "compiler/Layout/Apply/HoldPins.h"
#include "compiler/Layout/Apply/SplitGroups.h"
#include "compiler/Layout/Apply/VerifyLayout.h"
#include "compiler/Layout/Problem/LayoutPins.h"
#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/Storage.h"
#include "compiler/Target/Lacks.h"

#include "llvm/Support/Threading.h"

using namespace npu;

QuietDiagnostics::QuietDiagnostics(MLIRContext *context)
    : thread(llvm::get_threadid()),
      handler(context, [this](mlir::Diagnostic &diagnostic) {
        // Passes run side by side; others' errors are not ours to keep.
        if (llvm::get_threadid() != thread)
          return failure();
        if (message.empty())
          message = diagnostic.str();
        return success();
      }) {}

/// What is there is not what was searched. The bound is one of all plans that
/// were, and says as much of it while it is not below the bound; else nothing
/// is known of less, but that nothing is less than nothing.
static void forgetProof(SearchOutcome &search, int64_t cost, bool moved) {
  search.cost = cost;
  if (moved || cost <= search.lowerBound)
    search.lowerBound = 0;
  search.proved = search.isLeast();
}

/// Copies what a problem asks for to one whose function has other ops.
static void carryTo(LayoutProblem &problem, const LayoutProblem &before) {
  problem.inputs = before.inputs;
  problem.outputs = before.outputs;
  problem.decision = before.decision;
  problem.objective = before.objective;
  problem.searchSeconds = before.searchSeconds;
  problem.limit = before.limit;
}

/// A state is left in the order in which the next run finds it.
static void tieStates(const LayoutProblem &problem, LayoutPlan &plan) {
  for (auto [before, after] : problem.freeStates())
    plan.read[after] = plan.produced.lookup(before);
}

/// Of a plan that splits no group.
static LogicalResult finishOps(const LayoutProblem &problem,
                               const Strategy &strategy, LayoutPlan &plan) {
  mlir::func::FuncOp function = problem.function;
  bool moved = false;
  if (failed(holdPins(problem, plan, moved)))
    return failure();
  tieStates(problem, plan);
  if (!plan.search) // which says itself where a spelling counts
    spellAsRead(problem, plan);
  applyPlan(function, plan);
  placeMoves(function, problem.target);
  if (strategy.folds)
    foldLayouts(function, problem.target, problem.axes, problem.pins);
  else
    foldConstantRelayouts(function);
  if (failed(checkLayouts(function, problem.target, problem.axes)) ||
      failed(checkPins(problem.pins)) ||
      failed(settleAlgorithms(problem, plan)))
    return failure();
  if (!plan.search)
    return success();
  int64_t cost = costOf(problem, plan.algorithms).cost.of(problem.objective);
  if (moved || cost < plan.search->cost)
    forgetProof(*plan.search, cost, moved);
  return success();
}

LogicalResult npu::finishLayouts(const LayoutProblem &problem,
                                 const Strategy &strategy, LayoutPlan &plan) {
  if (plan.splits.empty())
    return finishOps(problem, strategy, plan);
  LayoutPins pins = problem.pins;
  splitGroups(problem, plan, pins);
  ImageAxesAnalysis axes(problem.function);
  LayoutProblem split(problem.function, problem.target, axes);
  carryTo(split, problem);
  split.pins = std::move(pins);
  return finishOps(split, strategy, plan);
}

/// Ops that were there before the stage, in order.
static SmallVector<Operation *> computingOps(mlir::func::FuncOp function) {
  SmallVector<Operation *> ops;
  for (Operation &op : function.getBody().front())
    if (!isa<RelayoutOp, ConstantOp>(op))
      ops.push_back(&op);
  return ops;
}

/// From what each copy of a value is made, the first in each layout.
static void readCopies(mlir::func::FuncOp source, mlir::func::FuncOp finished,
                       LayoutPlan &plan) {
  llvm::DenseMap<Value, Value> origin; // of a finished value in the source
  for (auto [from, to] :
       llvm::zip(source.getArguments(), finished.getArguments()))
    origin[to] = from;
  for (auto [from, to] :
       llvm::zip_equal(computingOps(source), computingOps(finished)))
    for (auto [before, after] : llvm::zip(from->getResults(), to->getResults()))
      origin[after] = before;
  for (auto relayout : finished.getBody().front().getOps<RelayoutOp>()) {
    Value value = origin.lookup(relayout.getInput());
    if (!value)
      continue; // of a constant
    LayoutAttr to = getLayout(relayout.getResult());
    origin[relayout.getResult()] = value;
    SmallVector<CopyStep, 2> &steps = plan.copies[value];
    bool known = sameStorage(value, plan.produced.lookup(value), to) ||
                 llvm::any_of(steps, [&](const CopyStep &step) {
                   return sameStorage(value, step.to, to);
                 });
    if (!known)
      steps.push_back({getLayout(relayout.getInput()), to});
  }
}

/// What the layouts of a finished copy are as a plan for its source.
static LayoutPlan readPlan(mlir::func::FuncOp source,
                           mlir::func::FuncOp finished,
                           const Algorithms &algorithms) {
  LayoutPlan plan;
  for (auto [from, to] :
       llvm::zip(source.getArguments(), finished.getArguments()))
    plan.produced[from] = getLayout(to);
  for (auto constant : source.getBody().front().getOps<ConstantOp>())
    plan.produced[constant.getResult()] = rowMajor(constant.getResult());
  for (auto [from, to] :
       llvm::zip_equal(computingOps(source), computingOps(finished))) {
    for (OpOperand &operand : from->getOpOperands())
      plan.read[&operand] =
          getLayout(to->getOperand(operand.getOperandNumber()));
    for (auto [before, after] : llvm::zip(from->getResults(), to->getResults()))
      plan.produced[before] = getLayout(after);
    if (const Alternative *algorithm = algorithms.lookup(to))
      plan.algorithms[from] = algorithm;
  }
  readCopies(source, finished, plan);
  return plan;
}

StrategyResult npu::tryStrategy(const LayoutProblem &problem,
                                const Strategy &strategy,
                                std::optional<double> seconds) {
  mlir::func::FuncOp source = problem.function;
  mlir::OwningOpRef<mlir::func::FuncOp> copy = source.clone();
  ImageAxesAnalysis axes(*copy);
  LayoutProblem copied(*copy, problem.target, axes);
  carryTo(copied, problem);
  if (seconds)
    copied.limitTo(*seconds);
  copied.inputs.clear();
  for (auto [from, to] : llvm::zip(source.getArguments(), copy->getArguments()))
    copied.inputs[to] = problem.inputs.lookup(from);
  copied.pins = problem.pins.carriedTo(source, *copy);

  StrategyResult result;
  result.name = strategy.name;
  QuietDiagnostics quiet(problem.getContext());
  LayoutPlan plan;
  bool decides = succeeded(strategy.decide(copied, plan));
  const bool splits = !plan.splits.empty();
  result.feasible = decides && succeeded(finishLayouts(copied, strategy, plan));
  result.whyNot = quiet.first();
  if (!result.feasible)
    return result;
  if (!splits) {
    result.cost = costOf(copied, plan.algorithms).cost;
    result.plan = readPlan(source, *copy, plan.algorithms);
  } else {
    ImageAxesAnalysis axesNow(*copy);
    LayoutProblem finished(*copy, problem.target, axesNow);
    carryTo(finished, copied);
    result.cost = costOf(finished, plan.algorithms).cost;
  }
  result.plan.search = plan.search;
  return result;
}

std::vector<LayoutPlan> npu::plansOf(const LayoutProblem &problem,
                                     ArrayRef<Strategy> strategies) {
  QuietDiagnostics quiet(problem.getContext());
  std::vector<LayoutPlan> plans;
  for (const Strategy &strategy : strategies) {
    LayoutPlan plan;
    if (!strategy.searches && succeeded(strategy.decide(problem, plan)))
      plans.push_back(std::move(plan));
  }
  return plans;
}

std::vector<StrategyResult> npu::tryStrategies(const LayoutProblem &problem,
                                               const StrategyResult *decided) {
  std::vector<StrategyResult> results;
  for (const Strategy &strategy : strategies(problem.getContext()))
    results.push_back(decided && decided->name == strategy.name
                          ? *decided
                          : tryStrategy(problem, strategy));
  return results;
}
