// SPDX-License-Identifier: Apache-2.0
//
// auto-nhwc, after OneFlow's AutoNHWC: in topological order, every op that
// knows its channel and can run channels last does; an op that does not care
// follows the first operand that is not in the source's order; views pass an
// order on. Adjacent inverse pairs never arise, because a value that is wanted
// as it is stored gets no relayout.
#include "compiler/Layout/Apply/HoldPins.h"
#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/Placement.h"
#include "compiler/Layout/Strategies/Strategies.h"

using namespace npu;

static LayoutAttr lastOf(LayoutOpInterface op, const ImageAxes &axes) {
  std::optional<SmallVector<int64_t>> order = channelsLastOrder(axes);
  return order ? LayoutAttr::get(op->getContext(), *order, {}) : LayoutAttr();
}

/// Channels last for the result, if the op itself (or a demand on it) speaks of
/// channels; for a weight, which has no such order, what is demanded.
static LayoutAttr channelsLast(const LayoutProblem &problem,
                               LayoutOpInterface op) {
  OpResult result = op->getResult(0);
  ImageAxes axes = op.getResultAxes(0);
  SmallVector<LayoutAttr> accepted = problem.accepted(result);
  if (axes.empty() && !accepted.empty())
    axes = problem.axes.atOp(result);
  return llvm::is_contained(axes, AxisRole::OutputChannel)
             ? preferred(accepted, result)
             : lastOf(op, axes);
}

/// The layouts to try, best first.
static SmallVector<Anchor> anchorsFor(const LayoutProblem &problem,
                                      const LayoutPlan &plan,
                                      LayoutOpInterface op) {
  SmallVector<Anchor> anchors = pinnedAnchors(problem, op);
  if (LayoutAttr layout = channelsLast(problem, op))
    anchors.push_back({Anchor::result, layout});
  LayoutRelation relation = op.getLayoutRelation();
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    LayoutAttr produced = plan.produced.lookup(value);
    if (!isConstant(value) &&
        !relation.independent[operand.getOperandNumber()] &&
        !produced.isRowMajor(tensorType(value).getShape()))
      anchors.push_back(
          {static_cast<int>(operand.getOperandNumber()), produced});
  }
  OpResult result = op->getResult(0);
  anchors.push_back({Anchor::result, rowMajor(result)});
  // Only its operands are demanded to be channels last; nobody may know what
  // the result's axes are.
  if (LayoutAttr layout = lastOf(op, problem.axes.atOp(result)))
    anchors.push_back({Anchor::result, layout});
  for (OpOperand &operand : op->getOpOperands())
    if (LayoutAttr layout = lastOf(op, problem.axes.atOp(operand));
        layout && !relation.independent[operand.getOperandNumber()])
      anchors.push_back({static_cast<int>(operand.getOperandNumber()), layout});
  return anchors;
}

static void decideView(const LayoutProblem &problem, LayoutPlan &plan,
                       LayoutOpInterface op) {
  LayoutAttr given = plan.layoutRead(op->getOpOperand(0));
  record(plan, op, placeView(problem, op, {given}));
}

static void decideOp(const LayoutProblem &problem, LayoutPlan &plan,
                     LayoutOpInterface op) {
  std::string ignored;
  for (const Anchor &anchor : anchorsFor(problem, plan, op))
    if (auto placement = placeOp(problem, plan, op, anchor, ignored)) {
      record(plan, op, *placement);
      return;
    }
  recordRowMajor(plan, op);
}

LogicalResult npu::decideAutoNhwc(const LayoutProblem &problem,
                                  LayoutPlan &plan) {
  return decideInOrder(
      problem, plan,
      [&](LayoutOpInterface op) { decideView(problem, plan, op); },
      [&](LayoutOpInterface op) {
        return decideOp(problem, plan, op), success();
      });
}
