// SPDX-License-Identifier: Apache-2.0
//
// preset, after a vendor NPU's LayoutTransmit and LayoutPresetToNPU: colours
// say which values are images; then, in topological order, each op looks only
// at its own operands. (a) A demand is met. (b) Where an image becomes a plain
// tensor, the source's order is restored. (c) Operands are aligned. (d) The
// boundary has the source's order.
#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/Placement.h"
#include "compiler/Layout/Problem/Storage.h"
#include "compiler/Layout/Strategies/Colours.h"
#include "compiler/Layout/Strategies/Strategies.h"

using namespace npu;

static bool inSourceOrder(LayoutAttr layout, Value value) {
  return layout.isRowMajor(tensorType(value).getShape());
}

namespace {
class Presetter {
public:
  Presetter(const LayoutProblem &problem, LayoutPlan &plan,
            const Colours &colours)
      : problem(problem), plan(plan), colours(colours) {}

  LogicalResult run() {
    return decideInOrder(
        problem, plan, [&](LayoutOpInterface op) { passView(op); },
        [&](LayoutOpInterface op) { return place(op), success(); });
  }

private:
  bool isImage(Value value) const {
    return colours.lookup(value) != tensorColour;
  }

  /// Whether some operand is an image and the result none.
  bool flattens(LayoutOpInterface op) const {
    return !isImage(op->getResult(0)) &&
           llvm::any_of(op->getOperands(), [&](Value operand) {
             return isImage(operand) && !isConstant(operand);
           });
  }

  /// A view passes the order on, unless it makes a plain tensor in another
  /// order than the source's of it.
  void passView(LayoutOpInterface op) {
    LayoutAttr given = plan.produced.lookup(op->getOperand(0));
    SmallVector<LayoutAttr> wishes;
    std::string ignored;
    LayoutAttr layout = viewLayout(op, given, ignored);
    if (layout && !(flattens(op) && !inSourceOrder(layout, op->getResult(0))))
      wishes.push_back(given);
    wishes.push_back(rowMajor(op->getOperand(0)));
    record(plan, op, placeView(problem, op, wishes));
  }

  /// Bytes of the operands that a placement has relaid; constants are free.
  int64_t bytesMoved(LayoutOpInterface op, const Placement &placement) const {
    int64_t bytes = 0;
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      LayoutAttr wanted = placement.operands[operand.getOperandNumber()];
      RankedTensorType type = tensorType(value);
      if (!isConstant(value) &&
          !wanted.isEquivalent(plan.produced.lookup(value), type.getShape()))
        bytes += storedBytes(withLayout(type, wanted));
    }
    return bytes;
  }

  /// The orders that an op may run in: its operands' as they come, what the
  /// target accepts, the source's.
  SmallVector<Anchor> anchorsFor(LayoutOpInterface op) const {
    SmallVector<Anchor> anchors;
    SmallVector<bool, 4> independent = problem.independentOperands(op);
    for (OpOperand &operand : op->getOpOperands()) {
      unsigned index = operand.getOperandNumber();
      if (!isConstant(operand.get()) && !independent[index])
        anchors.push_back(
            {static_cast<int>(index), plan.produced.lookup(operand.get())});
    }
    anchors.append(acceptedAnchors(problem, op));
    anchors.push_back({Anchor::result, rowMajor(op->getResult(0))});
    return anchors;
  }

  /// The feasible order that moves the fewest bytes, the first of equals.
  std::optional<Placement> cheapest(LayoutOpInterface op, bool mustRestore) {
    std::optional<Placement> best;
    int64_t fewest = 0;
    Value result = op->getResult(0);
    for (const Anchor &anchor : anchorsFor(op))
      for (Placement &placement : placementsOf(problem, plan, op, anchor)) {
        if (mustRestore && !inSourceOrder(placement.result, result))
          continue;
        int64_t bytes = bytesMoved(op, placement);
        if (best && bytes >= fewest)
          continue;
        fewest = bytes;
        best = std::move(placement);
      }
    return best;
  }

  void place(LayoutOpInterface op) {
    // A demand comes before a plain tensor's order.
    std::optional<Placement> best = cheapest(op, flattens(op));
    if (!best)
      best = cheapest(op, /*mustRestore=*/false);
    if (best)
      return record(plan, op, *best);
    recordRowMajor(plan, op);
  }

  const LayoutProblem &problem;
  LayoutPlan &plan;
  const Colours &colours;
};
} // namespace

LogicalResult npu::decidePreset(const LayoutProblem &problem,
                                LayoutPlan &plan) {
  mlir::func::FuncOp function = problem.function;
  Colours colours;
  if (hasColours(function)) {
    FailureOr<Colours> read = readColours(function);
    if (failed(read))
      return failure();
    colours = std::move(*read);
  } else {
    colours = transmitColours(function, problem.decision.defaultColour);
  }
  return Presetter(problem, plan, colours).run();
}
