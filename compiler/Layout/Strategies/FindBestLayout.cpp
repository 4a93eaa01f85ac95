// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Passes/Passes.h"
#include "compiler/Layout/Problem/Alternatives.h"
#include "compiler/Layout/Problem/Cost.h"
#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/Storage.h"
#include "compiler/Layout/Strategies/AlterSteps.h"
#include "compiler/Layout/Strategies/CustomRules.h"
#include "compiler/Layout/Strategies/Wishes.h"

using namespace npu;

namespace {
class BestFinder {
public:
  explicit BestFinder(const LayoutProblem &problem) : problem(problem) {
    Block &block = problem.function->getRegion(0).front();
    for (Value argument : block.getArguments())
      plan.produced[argument] = getLayout(argument);
    for (Operation &op : block)
      for (Value result : op.getResults())
        plan.produced[result] = getLayout(result);
  }

  /// Notes the op's best layouts, if they are not its own.
  LogicalResult note(LayoutOpInterface op) {
    FailureOr<std::vector<DesiredLayouts::Wish>> wishes =
        askLayoutRules("alter", op, problem);
    if (failed(wishes))
      return failure();
    std::optional<Placement> best;
    std::string whyNot;
    if (!wishes->empty()) {
      best = placeWished(problem, plan, op, *wishes, whyNot);
      if (!best)
        return op->emitOpError() << "infeasible: a layout rule: " << whyNot;
    } else {
      best = op.getSensitivity() == Sensitivity::Data
                 ? placeView(problem, op, {getLayout(op->getOperand(0))})
                 : cheapest(op);
    }
    op->removeAttr(bestLayoutsAttr);
    op->removeAttr(bestAlgorithmAttr);
    if (!best)
      return success();
    if (!isAsItIs(op, *best))
      op->setAttr(bestLayoutsAttr, toAttribute(*best));
    if (op.getSensitivity() == Sensitivity::Data)
      return success();
    auto chosen = cheapestAlgorithm(resident, op, layoutsOf(*best));
    if (chosen && chosen->algorithm)
      op->setAttr(bestAlgorithmAttr,
                  StringAttr::get(op->getContext(), chosen->algorithm->name));
    return success();
  }

private:
  static bool isAsItIs(Operation *op, const Placement &placement) {
    for (auto [operand, layout] :
         llvm::zip(op->getOperands(), placement.operands))
      if (!isStoredAs(operand, layout))
        return false;
    return isStoredAs(op->getResult(0), placement.result);
  }

  static Attribute toAttribute(const Placement &placement) {
    OpLayouts layouts = layoutsOf(placement);
    return mlir::ArrayAttr::get(
        placement.result.getContext(),
        SmallVector<Attribute>(layouts.begin(), layouts.end()));
  }

  /// The cheapest of its own order and those that the target accepts (channels
  /// last, where it accepts any); of equals
  /// the first, so that nothing moves without a gain.
  std::optional<Placement> cheapest(LayoutOpInterface op) {
    OpResult result = op->getResult(0);
    SmallVector<Anchor> anchors = {{Anchor::result, getLayout(result)}};
    llvm::append_range(anchors, acceptedAnchors(problem, op));
    auto last = channelsLastOrder(op.getResultAxes(0));
    if (problem.accepted(result).empty() && last)
      anchors.push_back(
          {Anchor::result, LayoutAttr::get(op->getContext(), *last, {})});
    std::optional<Placement> best;
    int64_t least = 0;
    for (const Anchor &anchor : anchors)
      for (Placement &placement : placementsOf(problem, plan, op, anchor)) {
        auto priced = cheapestAlgorithm(resident, op, layoutsOf(placement));
        if (!priced)
          continue;
        int64_t cost = priced->cost.kernels.of(problem.objective);
        if (best && cost >= least)
          continue;
        least = cost;
        best = std::move(placement);
      }
    return best;
  }

  const LayoutProblem &problem;
  const ResidentProblem resident = ResidentProblem::withMost(problem);
  LayoutPlan plan;
};
} // namespace

LogicalResult npu::findBestLayouts(const LayoutProblem &problem) {
  BestFinder finder(problem);
  for (Operation &op : problem.function->getRegion(0).front()) {
    auto rule = dyn_cast<LayoutOpInterface>(op);
    // A view is noted only where the target has a demand on it.
    if (rule &&
        (rule.getSensitivity() != Sensitivity::Data ||
         !acceptedAnchors(problem, rule).empty()) &&
        failed(finder.note(rule)))
      return failure();
  }
  return success();
}

namespace npu {
#define GEN_PASS_DEF_FINDBESTLAYOUT
#include "compiler/Layout/Passes/Passes.h.inc"
} // namespace npu

namespace {
struct FindBestLayout : npu::impl::FindBestLayoutBase<FindBestLayout> {
  using FindBestLayoutBase::FindBestLayoutBase;

  void runOnOperation() override {
    mlir::func::FuncOp function = getOperation();
    std::optional<TargetSpec> spec = requireTarget(function, target);
    if (!spec || failed(requireDecided(function)))
      return signalPassFailure();
    ImageAxesAnalysis axes(function);
    if (failed(findBestLayouts(LayoutProblem(function, *spec, axes))))
      signalPassFailure();
  }
};
} // namespace
