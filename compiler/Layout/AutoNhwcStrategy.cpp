// SPDX-License-Identifier: Apache-2.0
//
// auto-nhwc, after OneFlow's AutoNHWC: in topological order, every op that
// knows its channel and can run channels last does; an op that does not care
// follows the first operand that is not in the source's order; views pass an
// order on. Adjacent inverse pairs never arise, because a value that is wanted
// as it is stored gets no relayout.
#include "compiler/Layout/Pins.h"
#include "compiler/Layout/Strategies.h"

using namespace npu;

/// Channels last for the result, if the op itself (or a demand on it) speaks of
/// channels; for a weight, which has no such order, what is demanded.
static LayoutAttr channelsLast(const LayoutProblem &problem,
                               LayoutOpInterface op) {
  OpResult result = op->getResult(0);
  ImageAxes axes = op.getResultAxes(0);
  SmallVector<LayoutAttr> accepted = problem.accepted(result);
  if (axes.empty() && !accepted.empty())
    axes = problem.axes.of(result);
  if (llvm::is_contained(axes, AxisRole::OutputChannel))
    return preferred(accepted, result);
  std::optional<SmallVector<int64_t>> order = channelsLastOrder(axes);
  return order ? LayoutAttr::get(op->getContext(), *order, {}) : LayoutAttr();
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
  anchors.push_back({Anchor::result, rowMajor(op->getResult(0))});
  return anchors;
}

/// A view with a pinned side takes from its other side what makes it free.
static LayoutAttr pinnedRead(const LayoutProblem &problem,
                             LayoutOpInterface op) {
  if (LayoutAttr read = problem.pins.reads.lookup(&op->getOpOperand(0)))
    return read;
  std::string ignored;
  LayoutAttr stored = problem.pins.values.lookup(op->getResult(0));
  return stored ? viewSource(op, stored, ignored) : LayoutAttr();
}

static void decideView(const LayoutProblem &problem, LayoutPlan &plan,
                       LayoutOpInterface op) {
  OpOperand &operand = op->getOpOperand(0);
  if (LayoutAttr read = pinnedRead(problem, op))
    plan.read[&operand] = read;
  std::string whyNot;
  if (LayoutAttr layout = viewLayout(op, plan.layoutRead(operand), whyNot))
    plan.produced[op->getResult(0)] = layout;
  else
    recordRowMajorView(plan, op);
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
