// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Strategies/Wishes.h"

#include "compiler/Dialect/NPU/LayoutUse.h"
#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/Storage.h"

#include "llvm/ADT/StringExtras.h"

using namespace npu;

namespace {
class WishedPlacer {
public:
  WishedPlacer(const LayoutProblem &problem, LayoutOpInterface op,
               unsigned signature, ArrayRef<DesiredLayouts::Wish> wishes,
               std::string &whyNot)
      : problem(problem), op(op), signature(signature), wishes(wishes),
        whyNot(whyNot) {}

  std::optional<Placement> run(const LayoutPlan &plan) {
    if (!resolveAll())
      return std::nullopt;
    auto [first, layout] = wanted.front();
    SmallVector<Anchor> anchors = {{static_cast<int>(first), layout}};
    anchors.append(acceptedAnchors(problem, op));
    std::string firstWhy;
    for (const Anchor &anchor : anchors) {
      auto placement = placeOp(problem, plan, op, anchor, whyNot, signature);
      if (placement && insist(*placement))
        return placement;
      if (firstWhy.empty())
        firstWhy = whyNot;
    }
    whyNot = firstWhy;
    return std::nullopt;
  }

private:
  bool refuse(const Twine &why) {
    whyNot = why.str();
    return false;
  }

  /// Each wish as a layout of its operand.
  bool resolveAll() {
    SmallVector<StringRef> roles = desirableRoles(op.getDemandName());
    for (auto [role, wish] : llvm::zip(roles, wishes)) {
      for (OpOperand &operand : op->getOpOperands()) {
        unsigned index = operand.getOperandNumber();
        if (op.getOperandRole(index) != role)
          continue;
        LayoutAttr layout = resolve(operand, wish);
        if (!layout)
          return false;
        wanted.push_back({index, layout});
        break;
      }
    }
    return !wanted.empty() || refuse("it has no operand that a wish speaks of");
  }

  LayoutAttr resolve(OpOperand &operand, const DesiredLayouts::Wish &wish) {
    unsigned index = operand.getOperandNumber();
    SmallVector<LayoutAttr> accepted = problem.accepted(operand, signature);
    if (!wish && !accepted.empty())
      return preferred(accepted, operand.get());
    LayoutPattern pattern = wish ? *wish : defaultWeight(*wishes.front());
    int64_t rank = tensorType(operand.get()).getRank();
    auto order = pattern.resolve(rank, op.getOperandAxes(index));
    if (!order) {
      refuse("'" + pattern.text + "' does not fit its " +
             op.getOperandRole(index) + " of rank " + Twine(rank));
      return {};
    }
    return checked(operand, pattern, toLayout(op->getContext(), *order));
  }

  LayoutAttr checked(OpOperand &operand, const LayoutPattern &pattern,
                     LayoutAttr layout) {
    StringRef role = op.getOperandRole(operand.getOperandNumber());
    for (const LayoutBlock &block : layout.getBlocks())
      if (!llvm::is_contained(problem.target.blocks, block.size)) {
        refuse("target '" + problem.target.name + "' has no blocks of " +
               Twine(block.size) + " as in '" + pattern.text + "' for its " +
               role);
        return {};
      }
    SmallVector<LayoutAttr> accepted = problem.accepted(operand, signature);
    if (!accepted.empty() && !isAmong(operand.get(), layout, accepted)) {
      std::string names;
      for (LayoutAttr entry : accepted)
        names +=
            (names.empty() ? "" : " or ") +
            layoutName(entry, op.getOperandAxes(operand.getOperandNumber()));
      refuse("target '" + problem.target.name + "' demands " + names +
             " for its " + role + ", found '" + pattern.text + "'");
      return {};
    }
    return layout;
  }

  /// Operands take their wish if it goes with the result; those that stand for
  /// themselves always do.
  bool insist(Placement &placement) {
    LayoutRelation relation = op.getLayoutRelation();
    for (auto [index, layout] : wanted) {
      if (relation.independent[index] ||
          problem.goTogether(op->getOpOperand(index), layout, relation,
                             placement.result, signature))
        placement.operands[index] = layout;
      else
        return refuse("its " + op.getOperandRole(index) + " cannot be " +
                      layout.getLetters() +
                      " together with the other layouts of the op");
    }
    return true;
  }

  const LayoutProblem &problem;
  LayoutOpInterface op;
  unsigned signature;
  ArrayRef<DesiredLayouts::Wish> wishes;
  std::string &whyNot;
  SmallVector<std::pair<unsigned, LayoutAttr>> wanted;
};
} // namespace

std::optional<Placement> npu::placeWished(const LayoutProblem &problem,
                                          const LayoutPlan &plan,
                                          LayoutOpInterface op,
                                          ArrayRef<DesiredLayouts::Wish> wishes,
                                          std::string &whyNot) {
  std::string firstWhy;
  for (unsigned signature : problem.signatures(op)) {
    if (auto placement =
            WishedPlacer(problem, op, signature, wishes, whyNot).run(plan))
      return placement;
    if (firstWhy.empty())
      firstWhy = whyNot;
  }
  whyNot = firstWhy;
  return std::nullopt;
}
