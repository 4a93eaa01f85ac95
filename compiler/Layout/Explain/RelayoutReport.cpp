// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Explain/RelayoutReport.h"

#include "compiler/Kernel/KernelProblem.h"
#include "compiler/Layout/Explain/LayoutExplain.h"
#include "compiler/Layout/Problem/Alternatives.h"
#include "compiler/Layout/Problem/Cost.h"
#include "compiler/Layout/Problem/Crossings.h"
#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/Names.h"
#include "compiler/Layout/Problem/SplitGroup.h"
#include "compiler/Layout/Problem/Storage.h"
#include "cost/floor.h"

#include <cmath>

using namespace npu;

int64_t RelayoutReport::boundaryCount() const {
  return llvm::count_if(items,
                        [](const RelayoutItem &item) { return item.boundary; });
}

int64_t RelayoutReport::bytes() const {
  int64_t total = 0;
  for (const RelayoutItem &item : items)
    total += item.bytes;
  return total;
}

namespace {

class Reporter {
public:
  Reporter(const LayoutProblem &problem, const FunctionCost &least,
           const PlanFile *plan)
      : function(problem.function), axes(problem.axes),
        problem(problem, *least.onChip), cost(least.cost),
        causes(function, problem.target, axes, plan) {}

  RelayoutReport run() {
    RelayoutReport report;
    report.cost = cost;
    for (Operation &op : function.getBody().front()) {
      if (movesData(op))
        report.items.push_back(describe(&op));
      if (auto note = op.getAttrOfType<StringAttr>(layoutNoteAttr))
        report.notes.push_back(opText(&op) + " " + note.str());
      if (const Alternative *split = splitOf(&op))
        report.splits.push_back(describeSplit(&op, *split));
      else if (const Alternative *algorithm = replacementOf(&op))
        report.algorithms.push_back({opName(&op), algorithm->name.str()});
    }
    return report;
  }

private:
  RelayoutItem describe(Operation *op) {
    RelayoutItem item;
    Value from = op->getOperand(0), to = op->getResult(0);
    item.kind = op->getName().getStringRef().drop_front(4).str();
    OpOperand *output = returnedBy(op);
    item.value = valueName(output && !isa<BlockArgument>(from) ? to : from);
    item.from = layoutName(getLayout(from), axes.of(from));
    item.to = layoutName(getLayout(to), axes.of(to));
    item.bytes = storedBytes(tensorType(to));
    item.cost = static_cast<double>(costOf(problem, op).kernels.cycles);
    if (auto work = kernelWorkOf(problem, op))
      item.floor =
          std::floor(cost::floorOf(*work, problem->target.machine).cycles());
    item.boundary =
        isa<RelayoutOp>(op) && (isa<BlockArgument>(from) || output != nullptr);
    item.cause = causes.of(op);
    item.node = nodeName(op->getLoc());
    return item;
  }

  SplitItem describeSplit(Operation *rest, const Alternative &row) {
    SplitItem item;
    item.before = opName(rest);
    item.algorithm = row.name.str();
    for (Value operand : rest->getOperands()) {
      Value source = sourceOf(operand);
      if (!isFirstOfSplit(source.getDefiningOp()))
        continue;
      item.op = opName(source.getDefiningOp());
      item.from = layoutName(getLayout(source), axes.of(source));
      item.to = layoutName(getLayout(operand), axes.of(operand));
    }
    return item;
  }

  std::string valueName(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return boundaryName(function, argument.getArgNumber(), /*output=*/false);
    if (OpOperand *output = returnedBy(value.getDefiningOp()))
      return boundaryName(function, output->getOperandNumber(),
                          /*output=*/true);
    if (isa<RelayoutOp>(value.getDefiningOp()))
      return valueName(value.getDefiningOp()->getOperand(0));
    return "result of " + opName(value.getDefiningOp());
  }

  mlir::func::FuncOp function;
  const ImageAxesAnalysis &axes;
  const ResidentProblem problem;
  const LayoutCost cost;
  CauseFinder causes;
};

} // namespace

RelayoutReport npu::reportLayouts(mlir::func::FuncOp function,
                                  const TargetSpec &target,
                                  const PlanFile *plan, Objective objective) {
  ImageAxesAnalysis axes(function);
  LayoutProblem problem(function, target, axes);
  problem.objective = objective;
  return reportLayouts(problem, costOf(problem), plan);
}

RelayoutReport npu::reportLayouts(const LayoutProblem &problem,
                                  const FunctionCost &least,
                                  const PlanFile *plan) {
  return Reporter(problem, least, plan).run();
}

bool npu::movesData(Operation &op) {
  return isa<RelayoutOp, TransposeOp, ReshapeOp>(op) && !isFreeView(&op) &&
         !op.use_empty();
}
