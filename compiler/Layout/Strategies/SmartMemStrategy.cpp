// SPDX-License-Identifier: Apache-2.0
//
// smartmem, after SmartMem's elimination of layout transformations: ops differ
// in whether the order of their operands matters and in whether that of their
// result can be chosen. Views, whose order is fixed by their operand's, go
// wherever what reads them can look through. What is left to choose is chosen
// greedily, each value for those who read it: a product wants the dimension
// that it sums over innermost.
#include "compiler/Dialect/NPU/LayoutUse.h"
#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/Placement.h"
#include "compiler/Layout/Problem/Storage.h"
#include "compiler/Layout/Strategies/Strategies.h"

using namespace npu;

/// The dimensions of an operand that the op sums over: those that its result
/// lacks and, beside a weight that has them, the channels of an image. Empty
/// where no kernel sums, or where nothing is known of the operand.
static SmallVector<bool> reducedDims(LayoutOpInterface op,
                                     const LayoutRelation &relation,
                                     unsigned index) {
  if (op.getSensitivity() != Sensitivity::Heavy)
    return {};
  ArrayRef<RelatedDim> dims = relation.operands[index];
  SmallVector<bool> reduced;
  for (const RelatedDim &dim : dims)
    reduced.push_back(
        llvm::none_of(relation.results[0], [&](const RelatedDim &other) {
          return other.group == dim.group;
        }));
  bool isWeighed = llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
    ImageAxes axes = op.getOperandAxes(operand.getOperandNumber());
    auto *at = llvm::find(axes, AxisRole::InputChannel);
    return at != axes.end() &&
           tensorType(operand.get()).getDimSize(at - axes.begin()) > 1;
  });
  if (isWeighed)
    for (auto [dim, role] : llvm::enumerate(op.getOperandAxes(index)))
      if (role == AxisRole::Channel)
        reduced[dim] = true;
  bool tells =
      llvm::is_contained(reduced, true) && llvm::is_contained(reduced, false);
  return tells ? reduced : SmallVector<bool>();
}

/// The dimension whose neighbours lie side by side.
static int64_t innermost(Value value, LayoutAttr layout) {
  if (layout.isBlocked())
    return layout.getBlocks().back().dim;
  for (int64_t dim : llvm::reverse(layout.getOrder()))
    if (tensorType(value).getDimSize(dim) > 1)
      return dim;
  return -1;
}

/// The source's order, with these dimensions behind the others.
static LayoutAttr withInnermost(Value value, ArrayRef<bool> reduced) {
  SmallVector<int64_t> order;
  for (bool last : {false, true})
    for (int64_t dim = 0; dim < tensorType(value).getRank(); ++dim)
      if (reduced[dim] == last)
        order.push_back(dim);
  return LayoutAttr::get(value.getContext(), order, {});
}

namespace {
class Eliminator {
public:
  Eliminator(const LayoutProblem &problem, LayoutPlan &plan)
      : problem(problem), plan(plan) {}

  LogicalResult run() {
    // Readers come behind what they read: their wishes are known before.
    for (Operation &op : llvm::reverse(problem.function->getRegion(0).front()))
      if (auto rule = dyn_cast<LayoutOpInterface>(op))
        wish(rule);
    return decideInOrder(
        problem, plan, [&](LayoutOpInterface op) { passView(op); },
        [&](LayoutOpInterface op) { return place(op), success(); });
  }

private:
  // What readers wish for.

  /// Most readers' wish, of equals the first one's; null: nobody has any.
  LayoutAttr elect(Value value) const {
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : value.getUses())
      uses.push_back(&use);
    // The list of uses begins with the last.
    SmallVector<std::pair<LayoutAttr, int>, 4> votes;
    for (OpOperand *use : llvm::reverse(uses)) {
      LayoutAttr wished = wishOf(*use);
      if (!wished)
        continue;
      auto *known = llvm::find_if(votes, [&](auto &vote) {
        return sameStorage(value, vote.first, wished);
      });
      if (known == votes.end())
        votes.push_back({wished, 1});
      else
        ++known->second;
    }
    auto *most = llvm::max_element(
        votes, [](auto &a, auto &b) { return a.second < b.second; });
    return most == votes.end() ? LayoutAttr() : most->first;
  }

  LayoutAttr wishOf(OpOperand &use) const {
    if (isa<LayoutOpInterface>(use.getOwner()))
      return wishes.lookup(&use);
    return problem.outputs[use.getOperandNumber()];
  }

  void wish(LayoutOpInterface op) {
    LayoutAttr result = elect(op->getResult(0));
    if (result)
      elected[op->getResult(0)] = result;
    LayoutRelation relation = op.getLayoutRelation();
    for (OpOperand &operand : op->getOpOperands()) {
      if (isConstant(operand.get()))
        continue;
      if (LayoutAttr wished = needed(op, relation, operand)) {
        depends.insert(op);
        wishes[&operand] = wished;
      } else if (result) {
        wishes[&operand] = carried(op, relation, operand, result);
      }
    }
  }

  /// The layout in which the op reads the operand best, whatever becomes of its
  /// result; null: it depends on none, though the target may refuse some.
  LayoutAttr needed(LayoutOpInterface op, const LayoutRelation &relation,
                    OpOperand &operand) const {
    if (op.getSensitivity() == Sensitivity::Data)
      return {};
    Value value = operand.get();
    SmallVector<LayoutAttr> accepted = problem.accepted(operand);
    SmallVector<bool> reduced =
        reducedDims(op, relation, operand.getOperandNumber());
    if (reduced.empty())
      return accepted.size() == 1 ? accepted.front() : LayoutAttr();
    if (accepted.empty())
      return withInnermost(value, reduced);
    for (LayoutAttr layout : accepted)
      if (int64_t dim = innermost(value, layout); dim >= 0 && reduced[dim])
        return layout;
    return preferred(accepted, value);
  }

  /// What the operand must lie like for the result to lie like this; null
  /// where that says nothing.
  static LayoutAttr carried(LayoutOpInterface op,
                            const LayoutRelation &relation, OpOperand &operand,
                            LayoutAttr result) {
    unsigned index = operand.getOperandNumber();
    bool isView = op.getSensitivity() == Sensitivity::Data;
    if (relation.independent[index] && !isView)
      return {};
    TransferResult found =
        transferLayout(relatedResult(relation, op), toStoredOrder(result),
                       relatedOperand(relation, op, index));
    bool isWhole = found.layout && (found.complete || isView) &&
                   found.movedPadding.empty();
    return isWhole ? toLayout(op->getContext(), *found.layout) : LayoutAttr();
  }

  // What they get.

  /// A view goes: its result lies as its operand does. Where it cannot, its
  /// operand is brought to where the readers' wish shows.
  void passView(LayoutOpInterface op) {
    OpOperand &operand = op->getOpOperand(0);
    SmallVector<LayoutAttr> tried = {plan.produced.lookup(operand.get())};
    if (LayoutAttr wished = wishes.lookup(&operand))
      tried.push_back(wished);
    record(plan, op, placeView(problem, op, tried));
  }

  /// Operands that the op's order may come from.
  SmallVector<OpOperand *> leaders(LayoutOpInterface op) const {
    SmallVector<OpOperand *> found;
    SmallVector<bool, 4> independent = problem.independentOperands(op);
    for (OpOperand &operand : op->getOpOperands())
      if (!isConstant(operand.get()) &&
          !independent[operand.getOperandNumber()])
        found.push_back(&operand);
    return found;
  }

  /// Layouts to try, best first. An op that depends on its operands' orders
  /// has them in these; any other writes what its readers wish for if one of
  /// its operands lies so, and what an operand lies like if none does.
  SmallVector<Anchor> anchorsFor(LayoutOpInterface op) const {
    SmallVector<Anchor> anchors = pinnedAnchors(problem, op), follow;
    LayoutAttr wished = elected.lookup(op->getResult(0));
    bool isThere = false;
    for (OpOperand *operand : leaders(op)) {
      int index = static_cast<int>(operand->getOperandNumber());
      LayoutAttr produced = plan.produced.lookup(operand->get());
      LayoutAttr best = wishes.lookup(operand);
      isThere |= best && sameStorage(operand->get(), produced, best);
      if (depends.contains(op) && best)
        anchors.push_back({index, best});
      follow.push_back({index, produced});
    }
    if (wished && (isThere || follow.empty()))
      anchors.push_back({Anchor::result, wished});
    anchors.append(follow);
    if (wished)
      anchors.push_back({Anchor::result, wished});
    anchors.append(acceptedAnchors(problem, op));
    anchors.push_back({Anchor::result, rowMajor(op->getResult(0))});
    return anchors;
  }

  void place(LayoutOpInterface op) {
    Value result = op->getResult(0);
    LayoutAttr wished = elected.lookup(result);
    for (const Anchor &anchor : anchorsFor(op)) {
      auto placements = placementsOf(problem, plan, op, anchor);
      if (placements.empty())
        continue;
      auto *best = llvm::find_if(placements, [&](const Placement &placement) {
        return sameStorage(result, placement.result, wished);
      });
      return record(plan, op,
                    best == placements.end() ? placements.front() : *best);
    }
    recordRowMajor(plan, op);
  }

  const LayoutProblem &problem;
  LayoutPlan &plan;
  llvm::DenseMap<OpOperand *, LayoutAttr> wishes;
  llvm::DenseMap<Value, LayoutAttr> elected; // by a result's readers
  llvm::DenseSet<Operation *> depends;       // on its operands' orders
};
} // namespace

LogicalResult npu::decideSmartMem(const LayoutProblem &problem,
                                  LayoutPlan &plan) {
  return Eliminator(problem, plan).run();
}
