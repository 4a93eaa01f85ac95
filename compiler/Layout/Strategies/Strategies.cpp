// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Strategies/Strategies.h"

#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/Placement.h"

#include "llvm/ADT/StringExtras.h"

using namespace npu;

static LogicalResult decideAmong(const LayoutProblem &problem,
                                 LayoutPlan &plan);
static LogicalResult decideBest(const LayoutProblem &problem, LayoutPlan &plan);

// A strategy is one row here and one file <Name>Strategy.cpp.
static const Strategy table[] = {
    {"none", "the source's own order", decideNone, /*folds=*/true},
    {"naive", "a pair of relayouts around every demanding op, none cancelled",
     decideNaive, /*folds=*/false},
    {"auto-nhwc", "greedy: channels last around every op that can take it",
     decideAutoNhwc, /*folds=*/true},
    {"convert", "the layouts of --desired-layouts, neighbours follow",
     decideConvert, /*folds=*/true},
    {"preset", "colours images backward and forward, then meets each demand",
     decidePreset, /*folds=*/true},
    {"alter", "each op in its best layout between relayouts, then peephole",
     decideAlter, /*folds=*/true},
    {"smartmem", "views go; each value lies as most of its readers sum over it",
     decideSmartMem, /*folds=*/true},
    {"pbqp", "a quadratic programme over all ops, reduced, guessed where stuck",
     decideAmong, /*folds=*/false, /*searches=*/true},
    {"optimal", "the least total of the objective over the whole graph, proved",
     decideBest, /*folds=*/false, /*searches=*/true},
};

static LogicalResult decideAmong(const LayoutProblem &problem,
                                 LayoutPlan &plan) {
  return decidePbqp(problem, ArrayRef(table).drop_back(), plan);
}

static LogicalResult decideBest(const LayoutProblem &problem,
                                LayoutPlan &plan) {
  std::vector<Strategy> others = strategies(problem.getContext());
  others.pop_back();
  return decideOptimal(problem, others, plan);
}

ArrayRef<Strategy> npu::strategies() { return table; }

static std::vector<Strategy> with(ArrayRef<const plugin::Plugin *> plugins) {
  std::vector<Strategy> all = ArrayRef(table).drop_back().vec();
  for (const plugin::Plugin *plugin : plugins)
    llvm::append_range(all, strategiesIn(*plugin));
  all.push_back(ArrayRef(table).back());
  return all;
}

std::vector<Strategy> npu::strategies(MLIRContext *context) {
  const plugin::Use *use = pluginsOf(context);
  return use ? with(use->plugins) : ArrayRef(table).vec();
}

std::optional<Strategy> npu::findStrategy(StringRef name,
                                          MLIRContext *context) {
  for (Strategy &row : strategies(context))
    if (row.name == name)
      return std::move(row);
  return std::nullopt;
}

static std::string namesOf(ArrayRef<Strategy> rows) {
  return llvm::join(
      llvm::map_range(rows, [](const Strategy &row) { return row.name; }),
      ", ");
}

std::string npu::strategyNames(MLIRContext *context) {
  return namesOf(strategies(context));
}

std::string npu::strategyNames(ArrayRef<const plugin::Plugin *> plugins) {
  return namesOf(with(plugins));
}

void npu::planBoundary(const LayoutProblem &problem, LayoutPlan &plan) {
  Block &block = problem.function->getRegion(0).front();
  for (Value argument : block.getArguments()) {
    LayoutAttr held = problem.inputs.lookup(argument);
    plan.produced[argument] = held ? held : rowMajor(argument);
  }
  for (auto constant : block.getOps<ConstantOp>())
    plan.produced[constant.getResult()] = rowMajor(constant.getResult());
  for (OpOperand &operand : block.getTerminator()->getOpOperands())
    if (LayoutAttr held = problem.outputs[operand.getOperandNumber()])
      plan.read[&operand] = held;
}

void npu::settleFreeInputs(const LayoutProblem &problem, LayoutPlan &plan) {
  for (Value argument : problem.function->getRegion(0).getArguments()) {
    if (problem.inputs.lookup(argument) || argument.use_empty())
      continue;
    LayoutAttr wanted = plan.layoutRead(*argument.use_begin());
    // A view's result was planned from the operand's order; it does not follow.
    bool agree = llvm::all_of(argument.getUses(), [&](OpOperand &use) {
      auto reader = dyn_cast<LayoutOpInterface>(use.getOwner());
      return plan.layoutRead(use) == wanted &&
             !(reader && reader.getSensitivity() == Sensitivity::Data);
    });
    if (agree)
      plan.produced[argument] = wanted;
  }
}

LogicalResult
npu::decideInOrder(const LayoutProblem &problem, LayoutPlan &plan,
                   llvm::function_ref<void(LayoutOpInterface)> view,
                   llvm::function_ref<LogicalResult(LayoutOpInterface)> place) {
  planBoundary(problem, plan);
  for (Operation &op : problem.function->getRegion(0).front()) {
    auto rule = dyn_cast<LayoutOpInterface>(op);
    if (!rule)
      continue;
    if (rule.getSensitivity() == Sensitivity::Data)
      view(rule);
    else if (failed(place(rule)))
      return failure();
  }
  settleFreeInputs(problem, plan);
  return success();
}
