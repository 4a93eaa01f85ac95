// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Apply/HoldPins.h"

#include "compiler/Layout/Problem/LayoutPins.h"
#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/Placement.h"
#include "compiler/Layout/Problem/Storage.h"

using namespace npu;

namespace {
class PinHolder {
public:
  PinHolder(const LayoutProblem &problem, LayoutPlan &plan)
      : problem(problem), plan(plan) {}

  LogicalResult run(bool &moved) {
    for (Operation &op : problem.function->getRegion(0).front()) {
      auto rule = dyn_cast<LayoutOpInterface>(op);
      if (!rule || !problem.pins.touches(&op) || holds(&op))
        continue;
      moved = true;
      freezeReaders(op.getResult(0));
      if (rule.getSensitivity() == Sensitivity::Data)
        holdView(rule);
      else if (failed(holdOp(rule)))
        return failure();
    }
    return success();
  }

private:
  bool holds(Operation *op) {
    Value result = op->getResult(0);
    LayoutAttr stored = problem.pins.values.lookup(result);
    return (!stored ||
            sameStorage(result, stored, plan.produced.lookup(result))) &&
           llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
             LayoutAttr pin = problem.pins.reads.lookup(&operand);
             return !pin ||
                    sameStorage(operand.get(), pin, plan.layoutRead(operand));
           });
  }

  /// Who reads the value as it is stored was placed by that.
  void freezeReaders(Value value) {
    for (OpOperand &use : value.getUses())
      if (LayoutAttr layout = plan.layoutRead(use))
        plan.read.try_emplace(&use, layout);
  }

  /// A view may always move data; it does so only where both its sides are
  /// pinned, or where nothing carries the order.
  void holdView(LayoutOpInterface op) {
    OpOperand &operand = op->getOpOperand(0);
    Value result = op->getResult(0);
    LayoutAttr read = problem.pins.reads.lookup(&operand);
    LayoutAttr stored = problem.pins.values.lookup(result);
    std::string ignored;
    if (!read)
      read = viewSource(op, stored, ignored);
    if (!read)
      read = plan.layoutRead(operand);
    if (!stored)
      stored = viewLayout(op, read, ignored);
    plan.read[&operand] = read;
    if (stored)
      plan.produced[result] = stored;
  }

  LogicalResult holdOp(LayoutOpInterface op) {
    SmallVector<Anchor> anchors = pinnedAnchors(problem, op);
    if (anchors.empty()) // only weights and the like: the rest may stay
      anchors.push_back(
          {Anchor::result, plan.produced.lookup(op->getResult(0))});
    std::string whyNot;
    std::optional<Placement> placement =
        placeOp(problem, plan, op, anchors.front(), whyNot);
    if (!placement)
      return op->emitOpError()
             << "its pinned layouts cannot be held: " << whyNot;
    record(plan, op, *placement);
    return success();
  }

  const LayoutProblem &problem;
  LayoutPlan &plan;
};
} // namespace

LogicalResult npu::holdPins(const LayoutProblem &problem, LayoutPlan &plan,
                            bool &moved) {
  return problem.pins.empty() ? success() : PinHolder(problem, plan).run(moved);
}

LogicalResult npu::checkPins(const LayoutPins &pins) {
  auto check = [](Operation *op, Value value, LayoutAttr pin) -> LogicalResult {
    if (isStoredAs(value, pin))
      return success();
    return op->emitOpError() << "is pinned to " << pin.getLetters()
                             << ", found " << getLayout(value).getLetters();
  };
  for (auto [value, pin] : pins.values)
    if (failed(check(value.getDefiningOp(), value, pin)))
      return failure();
  for (auto [operand, pin] : pins.reads)
    if (failed(check(operand->getOwner(), operand->get(), pin)))
      return failure();
  return success();
}
