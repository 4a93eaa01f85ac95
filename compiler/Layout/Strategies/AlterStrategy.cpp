// SPDX-License-Identifier: Apache-2.0
//
// alter, after TVM's AlterOpLayout and its refactoring into four passes: infer,
// find best, alter, peephole. The steps rewrite a copy of the function; where
// they leave each value is the plan.
#include "compiler/Layout/Apply/Retype.h"
#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/Placement.h"
#include "compiler/Layout/Strategies/AlterSteps.h"
#include "compiler/Layout/Strategies/Strategies.h"

#include "mlir/IR/IRMapping.h"

using namespace npu;

namespace {
/// The copy that the steps work on, and the way back from it.
class Copy {
public:
  Copy(const LayoutProblem &problem)
      : problem(problem),
        copy(mlir::func::FuncOp(problem.function).clone(map)) {}

  LogicalResult run() {
    bindInputs();
    dropRelayouts();
    ImageAxesAnalysis axes(*copy);
    inferLayouts(*copy, problem.target, axes, problem.outputs);
    LayoutProblem ofCopy(*copy, problem.target, axes);
    ofCopy.decision = problem.decision; // the caller's rule
    if (failed(findBestLayouts(ofCopy)) || failed(alterLayouts(*copy)))
      return failure();
    peepholeLayouts(*copy, problem.target, axes);
    return success();
  }

  void readBack(LayoutPlan &plan) {
    planBoundary(problem, plan);
    Block &block = problem.function->getRegion(0).front();
    for (Value argument : block.getArguments())
      plan.produced[argument] = getLayout(map.lookup(argument));
    for (Operation &op : block) {
      if (isa<ConstantOp>(op))
        continue;
      if (isa<RelayoutOp>(op)) {
        plan.produced[op.getResult(0)] = plan.produced.lookup(op.getOperand(0));
        continue;
      }
      Operation *twin = map.lookup(&op);
      for (auto [mine, its] :
           llvm::zip(op.getOpOperands(), twin->getOperands()))
        plan.read[&mine] = getLayout(its);
      for (auto [mine, its] : llvm::zip(op.getResults(), twin->getResults()))
        plan.produced[mine] = getLayout(its);
    }
    plan.choosesAlgorithms = true;
    // A free output is stored as its producer leaves it.
    for (OpOperand &operand : block.getTerminator()->getOpOperands())
      if (!problem.outputs[operand.getOperandNumber()])
        plan.read.erase(&operand);
  }

private:
  void bindInputs() {
    for (Value argument : problem.function->getRegion(0).getArguments())
      if (LayoutAttr held = problem.inputs.lookup(argument)) {
        Value mine = map.lookup(argument);
        setLayout(mine, held);
      }
  }

  /// Relayouts of an earlier run mean nothing: every value is placed anew.
  void dropRelayouts() {
    for (auto relayout : llvm::make_early_inc_range(
             copy->getBody().front().getOps<RelayoutOp>())) {
      relayout.getResult().replaceAllUsesWith(relayout.getInput());
      relayout.erase();
    }
  }

  const LayoutProblem &problem;
  mlir::IRMapping map;
  mlir::OwningOpRef<mlir::func::FuncOp> copy;
};
} // namespace

LogicalResult npu::decideAlter(const LayoutProblem &problem, LayoutPlan &plan) {
  Copy copy(problem);
  if (failed(copy.run()))
    return failure();
  copy.readBack(plan);
  settleFreeInputs(problem, plan);
  return success();
}
