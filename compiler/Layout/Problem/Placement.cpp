// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Problem/Placement.h"

#include "compiler/Dialect/NPU/LayoutUse.h"
#include "compiler/Layout/Problem/LayoutMemo.h"
#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/Storage.h"

using namespace npu;

bool npu::isConstant(Value value) {
  return value.getDefiningOp<ConstantOp>() != nullptr;
}

LayoutAttr npu::rowMajor(Value value) {
  return LayoutAttr::getRowMajor(value.getContext(),
                                 tensorType(value).getRank());
}

bool npu::isAccepted(ArrayRef<LayoutAttr> accepted, Value value,
                     LayoutAttr layout) {
  return accepted.empty() || isAmong(value, layout, accepted);
}

LayoutAttr npu::preferred(ArrayRef<LayoutAttr> accepted, Value value) {
  ArrayRef<int64_t> shape = tensorType(value).getShape();
  for (LayoutAttr layout : accepted)
    if (llvm::none_of(layout.getBlocks(), [&](const LayoutBlock &block) {
          return shape[block.dim] == 1;
        }))
      return layout;
  return accepted.empty() ? LayoutAttr() : accepted.front();
}

namespace {
/// Finds one op's placement by one of its signatures.
class Placer {
public:
  Placer(const LayoutProblem &problem, const LayoutPlan &plan,
         LayoutOpInterface op, const Anchor &anchor, unsigned signature)
      : problem(problem), plan(plan), op(op), relation(op.getLayoutRelation()),
        anchor(anchor), signature(signature) {}

  std::optional<Placement> run(std::string &whyNot) {
    Placement placement;
    placement.result = placeResult(whyNot);
    if (!placement.result)
      return std::nullopt;
    // Operands go with the result, not just with the one that it came from:
    // two operands of a matrix product may share one dimension of three.
    const int given = anchor.index;
    const LayoutAttr givenLayout = anchor.layout;
    anchor = {Anchor::result, placement.result};
    for (OpOperand &operand : op->getOpOperands()) {
      bool isGiven = static_cast<int>(operand.getOperandNumber()) == given;
      LayoutAttr layout =
          placeOperand(operand, isGiven ? givenLayout : LayoutAttr(), whyNot);
      if (!layout)
        return std::nullopt;
      placement.operands.push_back(layout);
    }
    return placement;
  }

private:
  RelatedValue anchorValue() const {
    return anchor.index == Anchor::result
               ? relatedResult(relation, op)
               : relatedOperand(relation, op, anchor.index);
  }

  /// Whether operand `index` (or the result) may have this layout while the
  /// anchor has its own.
  bool fits(int index, LayoutAttr layout) const {
    if (!layout)
      return false;
    bool isResult = index == Anchor::result;
    if (isResult == (anchor.index == Anchor::result))
      return false;
    OpOperand &operand = op->getOpOperand(isResult ? anchor.index : index);
    return problem.goTogether(operand, isResult ? anchor.layout : layout,
                              relation, isResult ? layout : anchor.layout,
                              signature);
  }

  /// The anchor's order on another value; null with a reason.
  LayoutAttr carry(const RelatedValue &to, std::string &whyNot,
                   bool *complete = nullptr) const {
    TransferResult result =
        transferLayout(anchorValue(), toStoredOrder(anchor.layout), to);
    if (complete)
      *complete = result.complete;
    if (result.layout)
      return toLayout(op->getContext(), *result.layout);
    whyNot = result.whyNot;
    return {};
  }

  /// Whether a kernel may have this layout: what is demanded, or any whose
  /// blocks it knows.
  bool mayBe(ArrayRef<LayoutAttr> accepted, Value value,
             LayoutAttr layout) const {
    return accepted.empty() ? problem.knowsBlocks(layout, value)
                            : isAmong(value, layout, accepted);
  }

  LayoutAttr choose(Value value, int index, const RelatedValue &related,
                    ArrayRef<LayoutAttr> accepted, LayoutAttr current,
                    StringRef role, std::string &whyNot) const {
    if (fits(index, current) && mayBe(accepted, value, current))
      return current;
    LayoutAttr carried = carry(related, whyNot);
    if (accepted.empty()) {
      if (!carried || mayBe(accepted, value, carried))
        return carried;
      whyNot = "the target has no blocks as in " + carried.getLetters();
      return {};
    }
    if (isAmong(value, carried, accepted))
      return carried;
    for (LayoutAttr layout : accepted)
      if (fits(index, layout))
        return layout;
    whyNot = ("the target demands another layout for its " + role).str();
    return {};
  }

  LayoutAttr placeResult(std::string &whyNot) {
    OpResult result = op->getResult(0);
    SmallVector<LayoutAttr> accepted = problem.accepted(result, signature);
    if (anchor.index != Anchor::result)
      return choose(result, Anchor::result, relatedResult(relation, op),
                    accepted, {}, "result", whyNot);
    if (mayBe(accepted, result, anchor.layout))
      return anchor.layout;
    whyNot = "the target demands another layout for its result";
    return {};
  }

  LayoutAttr placeOperand(OpOperand &operand, LayoutAttr given,
                          std::string &whyNot) {
    unsigned index = operand.getOperandNumber();
    Value value = operand.get();
    SmallVector<LayoutAttr> accepted = problem.accepted(operand, signature);
    LayoutAttr current = plan.currentLayout(value);
    RelatedValue related = relatedOperand(relation, op, index);
    if (given && mayBe(accepted, value, given) &&
        (relation.independent[index] || fits(static_cast<int>(index), given)))
      return given;
    if (!relation.independent[index])
      return choose(value, static_cast<int>(index), related, accepted,
                    isConstant(value) ? LayoutAttr() : current,
                    op.getOperandRole(index), whyNot);
    if (!accepted.empty())
      return !isConstant(value) && isAmong(value, current, accepted)
                 ? current
                 : preferred(accepted, value);
    if (isConstant(value))
      return placeFreeConstant(value, related);
    return mayBe(accepted, value, current) ? current : rowMajor(value);
  }

  /// A constant that may be stored in any order is stored in the order of what
  /// it is combined with. A convolution's weight and bias share no dimension
  /// with anything and stay as they are.
  LayoutAttr placeFreeConstant(Value value, const RelatedValue &related) const {
    std::string ignored;
    bool complete = false;
    LayoutAttr carried = carry(related, ignored, &complete);
    bool isKnown = carried && complete && mayBe({}, value, carried);
    return isKnown ? carried : rowMajor(value);
  }

  const LayoutProblem &problem;
  const LayoutPlan &plan;
  LayoutOpInterface op;
  LayoutRelation relation;
  Anchor anchor;
  unsigned signature;
};
} // namespace

static std::optional<Placement>
findPlacement(const LayoutProblem &problem, const LayoutPlan &plan,
              LayoutOpInterface op, const Anchor &anchor, std::string &whyNot,
              LayoutProblem::OneOf signature) {
  if (signature)
    return Placer(problem, plan, op, anchor, *signature).run(whyNot);
  for (unsigned one : problem.signatures(op))
    if (auto placement = Placer(problem, plan, op, anchor, one).run(whyNot))
      return placement;
  return std::nullopt;
}

std::optional<Placement> npu::placeOp(const LayoutProblem &problem,
                                      const LayoutPlan &plan,
                                      LayoutOpInterface op,
                                      const Anchor &anchor, std::string &whyNot,
                                      LayoutProblem::OneOf signature) {
  LayoutMemo *memo = problem.memoFor(op);
  if (!memo)
    return findPlacement(problem, plan, op, anchor, whyNot, signature);
  Question question;
  question.add(memo->alike.of(op)).add(signature ? *signature + 1 : 0);
  question.add(static_cast<uint64_t>(anchor.index)).add(anchor.layout);
  for (Value operand : op->getOperands())
    question.add(plan.currentLayout(operand)).add(isConstant(operand));
  const Placed &found = memo->placed.of(question, [&] {
    Placed placed;
    placed.placement =
        findPlacement(problem, plan, op, anchor, placed.whyNot, signature);
    return placed;
  });
  if (!found.whyNot.empty())
    whyNot = found.whyNot;
  return found.placement;
}

SmallVector<Placement, 1> npu::placementsOf(const LayoutProblem &problem,
                                            const LayoutPlan &plan,
                                            LayoutOpInterface op,
                                            const Anchor &anchor) {
  SmallVector<Placement, 1> placements;
  std::string ignored;
  for (unsigned one : problem.signatures(op))
    if (auto placement = placeOp(problem, plan, op, anchor, ignored, one))
      placements.push_back(std::move(*placement));
  return placements;
}

/// Results whose dimensions lie as one operand's demand has them and, where
/// that leaves some open, as another's: the rows of a product and its columns.
static SmallVector<LayoutAttr> mergedResults(const LayoutProblem &problem,
                                             LayoutOpInterface op,
                                             unsigned signature) {
  LayoutRelation relation = op.getLayoutRelation();
  RelatedValue result = relatedResult(relation, op);
  SmallVector<std::pair<unsigned, TransferResult>> carried;
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned index = operand.getOperandNumber();
    if (!relation.independent[index])
      for (LayoutAttr layout : problem.accepted(operand, signature))
        carried.push_back(
            {index, transferLayout(relatedOperand(relation, op, index),
                                   toStoredOrder(layout), result)});
  }
  llvm::erase_if(carried, [](auto &entry) { return !entry.second.layout; });
  SmallVector<LayoutAttr> merged;
  for (auto &[index, order] : carried)
    for (auto &[other, open] : carried) {
      if (index == other || order.complete)
        continue;
      StoredOrder both = mergeOrders(*order.layout, order.known, *open.layout);
      if (isPossible(both))
        merged.push_back(toLayout(op->getContext(), both));
    }
  return merged;
}

SmallVector<Anchor> npu::acceptedAnchors(const LayoutProblem &problem,
                                         LayoutOpInterface op) {
  SmallVector<Anchor> anchors;
  for (unsigned one : problem.signatures(op)) {
    size_t others = anchors.size();
    for (LayoutAttr layout : problem.accepted(OpResult(op->getResult(0)), one))
      anchors.push_back({Anchor::result, layout});
    if (anchors.size() > others)
      continue;
    for (OpOperand &operand : op->getOpOperands())
      for (LayoutAttr layout : problem.accepted(operand, one))
        anchors.push_back(
            {static_cast<int>(operand.getOperandNumber()), layout});
    for (LayoutAttr layout : mergedResults(problem, op, one))
      anchors.push_back({Anchor::result, layout});
  }
  return anchors;
}

static LayoutAttr carried(LayoutOpInterface op, const RelatedValue &from,
                          LayoutAttr layout, const RelatedValue &to,
                          std::string &whyNot) {
  TransferResult result = transferLayout(from, toStoredOrder(layout), to);
  if (result.layout && result.movedPadding.empty())
    return toLayout(op->getContext(), *result.layout);
  whyNot = result.layout ? result.movedPadding : result.whyNot;
  return {};
}

LayoutAttr npu::viewLayout(LayoutOpInterface op, LayoutAttr layout,
                           std::string &whyNot) {
  LayoutRelation relation = op.getLayoutRelation();
  return carried(op, relatedOperand(relation, op, 0), layout,
                 relatedResult(relation, op), whyNot);
}

LayoutAttr npu::viewSource(LayoutOpInterface op, LayoutAttr layout,
                           std::string &whyNot) {
  LayoutRelation relation = op.getLayoutRelation();
  return carried(op, relatedResult(relation, op), layout,
                 relatedOperand(relation, op, 0), whyNot);
}

std::optional<Placement> npu::placeByDemand(const LayoutProblem &problem,
                                            const LayoutPlan &plan,
                                            LayoutOpInterface op) {
  std::string ignored;
  for (const Anchor &anchor : acceptedAnchors(problem, op))
    if (auto placement = placeOp(problem, plan, op, anchor, ignored))
      return placement;
  return std::nullopt;
}

LayoutAttr npu::sourceOrPreferred(ArrayRef<LayoutAttr> accepted, Value value) {
  LayoutAttr source = rowMajor(value);
  return isAccepted(accepted, value, source) ? source
                                             : preferred(accepted, value);
}

bool npu::acceptsView(const LayoutProblem &problem, LayoutOpInterface op,
                      LayoutAttr read, LayoutAttr stored) {
  OpOperand &operand = op->getOpOperand(0);
  OpResult result = op->getResult(0);
  return llvm::any_of(problem.signatures(op), [&](unsigned one) {
    return isAccepted(problem.accepted(operand, one), operand.get(), read) &&
           isAccepted(problem.accepted(result, one), result, stored);
  });
}

Placement npu::placeView(const LayoutProblem &problem, LayoutOpInterface op,
                         ArrayRef<LayoutAttr> wishes) {
  OpOperand &operand = op->getOpOperand(0);
  OpResult result = op->getResult(0);
  SmallVector<unsigned> signatures = problem.signatures(op);
  std::string ignored;
  SmallVector<LayoutAttr> tried(wishes);
  for (unsigned one : signatures) {
    tried.append(problem.accepted(operand, one));
    for (LayoutAttr layout : problem.accepted(result, one))
      if (LayoutAttr source = viewSource(op, layout, ignored))
        tried.push_back(source);
  }
  tried.push_back(rowMajor(operand.get()));
  for (LayoutAttr layout : tried) {
    LayoutAttr view = viewLayout(op, layout, ignored);
    if (view && acceptsView(problem, op, layout, view))
      return Placement{{layout}, view};
  }
  // It moves its data, as it does in the source.
  LayoutAttr source = rowMajor(operand.get()), moved = rowMajor(result);
  if (acceptsView(problem, op, source, moved))
    return Placement{{source}, moved};
  SmallVector<LayoutAttr> read = problem.accepted(operand, signatures.front());
  SmallVector<LayoutAttr> stored = problem.accepted(result, signatures.front());
  return Placement{{sourceOrPreferred(read, operand.get())},
                   sourceOrPreferred(stored, result)};
}

void npu::record(LayoutPlan &plan, Operation *op, const Placement &placement) {
  for (OpOperand &operand : op->getOpOperands())
    plan.read[&operand] = placement.operands[operand.getOperandNumber()];
  plan.produced[op->getResult(0)] = placement.result;
}

void npu::recordRowMajor(LayoutPlan &plan, Operation *op) {
  plan.produced[op->getResult(0)] = rowMajor(op->getResult(0));
  for (OpOperand &operand : op->getOpOperands())
    plan.read[&operand] = rowMajor(operand.get());
}

SmallVector<Anchor> npu::pinnedAnchors(const LayoutProblem &problem,
                                       LayoutOpInterface op) {
  SmallVector<Anchor> anchors;
  if (LayoutAttr pin = problem.pins.values.lookup(op->getResult(0)))
    anchors.push_back({Anchor::result, pin});
  LayoutRelation relation = op.getLayoutRelation();
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned index = operand.getOperandNumber();
    LayoutAttr pin = problem.pins.reads.lookup(&operand);
    if (pin && !relation.independent[index])
      anchors.push_back({static_cast<int>(index), pin});
  }
  return anchors;
}
