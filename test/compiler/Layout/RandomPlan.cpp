// SPDX-License-Identifier: Apache-2.0
#include "test/compiler/Layout/RandomPlan.h"

#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/Placement.h"
#include "compiler/Layout/Strategies/Strategies.h"

using namespace npu;

namespace {
class Planner {
public:
  Planner(const LayoutProblem &problem, std::mt19937 &random)
      : problem(problem), random(random) {}

  std::optional<LayoutPlan> run() {
    planBoundary(problem, plan);
    Block &block = problem.function->getRegion(0).front();
    for (Value argument : block.getArguments())
      if (!problem.inputs.lookup(argument))
        plan.produced[argument] = anyOrder(argument);
    for (Operation &op : block)
      if (auto rule = dyn_cast<LayoutOpInterface>(op))
        if (!(rule.getSensitivity() == Sensitivity::Data ? view(rule)
                                                         : kernel(rule)))
          return std::nullopt;
    return std::move(plan);
  }

private:
  int64_t pick(int64_t count) {
    return static_cast<int64_t>(random() % static_cast<unsigned>(count));
  }

  int64_t anyOf(ArrayRef<int64_t> list) {
    return list[static_cast<size_t>(pick(static_cast<int64_t>(list.size())))];
  }

  /// With blocks that the chip knows, in every third.
  LayoutAttr anyOrder(Value value) {
    auto order =
        llvm::to_vector(llvm::seq<int64_t>(0, tensorType(value).getRank()));
    for (size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[pick(static_cast<int64_t>(i))]);
    SmallVector<LayoutBlock> blocks;
    if (!order.empty() && !problem.target.blocks.empty() && pick(3) == 0)
      for (int64_t count = 1 + pick(3); count > 0; --count)
        blocks.push_back({pick(static_cast<int64_t>(order.size())),
                          anyOf(problem.target.blocks)});
    return LayoutAttr::get(problem.getContext(), order, blocks);
  }

  /// In which a value is stored, row-major or any.
  LayoutAttr someOrder(Value value) {
    LayoutAttr stored = plan.produced.lookup(value);
    int64_t kind = pick(4);
    return kind < 2 && stored ? stored
           : kind == 2        ? rowMajor(value)
                              : anyOrder(value);
  }

  bool view(LayoutOpInterface op) {
    OpOperand &operand = op->getOpOperand(0);
    std::string ignored;
    for (int tries = 0; tries < 3; ++tries) {
      LayoutAttr layout =
          tries < 2 ? someOrder(operand.get()) : rowMajor(operand.get());
      LayoutAttr result = viewLayout(op, layout, ignored);
      if (!result)
        continue;
      plan.read[&operand] = layout;
      plan.produced[op->getResult(0)] = result;
      return true;
    }
    return false;
  }

  Anchor someAnchor(LayoutOpInterface op) {
    LayoutRelation relation = op.getLayoutRelation();
    SmallVector<unsigned> operands;
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      if (!relation.independent[i] && !isConstant(op->getOperand(i)))
        operands.push_back(i);
    OpResult result = op->getResult(0);
    SmallVector<LayoutAttr> accepted = problem.accepted(result);
    if (!accepted.empty() && pick(2))
      return {Anchor::result, accepted[pick(accepted.size())]};
    if (operands.empty() || pick(3) == 0)
      return {Anchor::result, someOrder(result)};
    unsigned index = operands[pick(operands.size())];
    return {static_cast<int>(index), someOrder(op->getOperand(index))};
  }

  bool kernel(LayoutOpInterface op) {
    std::string ignored;
    for (int tries = 0; tries < 6; ++tries)
      if (auto placement =
              placeOp(problem, plan, op, someAnchor(op), ignored)) {
        record(plan, op, *placement);
        return true;
      }
    return false;
  }

  const LayoutProblem &problem;
  std::mt19937 &random;
  LayoutPlan plan;
};
} // namespace

std::optional<LayoutPlan> test::randomPlan(const LayoutProblem &problem,
                                           std::mt19937 &random) {
  return Planner(problem, random).run();
}
