// SPDX-License-Identifier: Apache-2.0
//
// convert, after TVM's ConvertLayout: in topological order, a heavily sensitive
// op takes the layouts that the user desires for it, everything else copies the
// layout of its first operand that was converted. An op that cannot is noted:
// that is where the conversion stops.
#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/Storage.h"
#include "compiler/Layout/Strategies/CustomRules.h"
#include "compiler/Layout/Strategies/Strategies.h"
#include "compiler/Layout/Strategies/Wishes.h"

using namespace npu;

namespace {
class Converter {
public:
  Converter(const LayoutProblem &problem, LayoutPlan &plan)
      : problem(problem), plan(plan) {}

  LogicalResult run() {
    return decideInOrder(
        problem, plan, [&](LayoutOpInterface op) { passView(op); },
        [&](LayoutOpInterface op) { return convert(op); });
  }

private:
  using Wishes = std::vector<DesiredLayouts::Wish>;

  /// The user's options come before the rules that code registers.
  FailureOr<Wishes> wishesOf(LayoutOpInterface op) {
    auto given = problem.decision.desired.byOp.find(op.getDemandName().str());
    if (given != problem.decision.desired.byOp.end())
      return given->second;
    return askLayoutRules("convert", op, problem);
  }

  LogicalResult convert(LayoutOpInterface op) {
    FailureOr<Wishes> wishes = wishesOf(op);
    if (failed(wishes))
      return failure();
    if (wishes->empty())
      return follow(op), success();
    std::string whyNot;
    auto placement = placeWished(problem, plan, op, *wishes, whyNot);
    if (!placement)
      return op->emitOpError() << "infeasible: desired layouts: " << whyNot;
    record(plan, op, *placement);
    converted.insert(op->getResult(0));
    return success();
  }

  /// Layouts to try: the converted operands' in order, the others', the
  /// source's, and what the target demands.
  SmallVector<Anchor> anchorsFor(LayoutOpInterface op) {
    SmallVector<Anchor> first, others;
    SmallVector<bool, 4> independent = problem.independentOperands(op);
    for (OpOperand &operand : op->getOpOperands()) {
      unsigned index = operand.getOperandNumber();
      if (isConstant(operand.get()) || independent[index])
        continue;
      Anchor anchor{static_cast<int>(index),
                    plan.produced.lookup(operand.get())};
      (converted.contains(operand.get()) ? first : others).push_back(anchor);
    }
    following = first.size();
    first.append(others);
    first.push_back({Anchor::result, rowMajor(op->getResult(0))});
    first.append(acceptedAnchors(problem, op));
    return first;
  }

  void follow(LayoutOpInterface op) {
    std::string whyNot, why;
    SmallVector<Anchor> anchors = anchorsFor(op);
    for (auto [index, anchor] : llvm::enumerate(anchors)) {
      auto placement = placeOp(problem, plan, op, anchor, why);
      if (placement) {
        record(plan, op, *placement);
        if (index < following)
          converted.insert(op->getResult(0));
        else if (following)
          plan.notes[op] = "stops the conversion: " + whyNot;
        return;
      }
      if (whyNot.empty())
        whyNot = why;
    }
    recordRowMajor(plan, op);
  }

  void passView(LayoutOpInterface op) {
    OpOperand &operand = op->getOpOperand(0);
    LayoutAttr given = plan.produced.lookup(operand.get());
    Placement placement = placeView(problem, op, {given});
    record(plan, op, placement);
    if (!converted.contains(operand.get()))
      return;
    std::string whyNot;
    if (sameStorage(operand.get(), given, placement.operands[0]))
      converted.insert(op->getResult(0));
    else if (viewLayout(op, given, whyNot))
      plan.notes[op] = "stops the conversion: the target demands another order";
    else
      plan.notes[op] = "stops the conversion: " + whyNot;
  }

  const LayoutProblem &problem;
  LayoutPlan &plan;
  /// Values whose layout comes from a wish, by itself or through others.
  llvm::DenseSet<Value> converted;
  size_t following = 0;
};
} // namespace

LogicalResult npu::decideConvert(const LayoutProblem &problem,
                                 LayoutPlan &plan) {
  return Converter(problem, plan).run();
}
