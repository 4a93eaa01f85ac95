// SPDX-License-Identifier: Apache-2.0
#include "compiler/Dialect/NPU/LayoutUse.h"
#include "compiler/Layout/Apply/ApplyPlan.h"
#include "compiler/Layout/Passes/Passes.h"
#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/Placement.h"
#include "compiler/Layout/Strategies/AlterSteps.h"

using namespace npu;

namespace {
/// Three walks over the block: what follows forward from decided values, what
/// they say backward of undecided operands, and the rest from row-major inputs.
class Inferrer {
public:
  Inferrer(const LayoutProblem &problem, LayoutPlan &plan)
      : problem(problem), plan(plan),
        block(problem.function->getRegion(0).front()) {}

  void run() {
    for (Value argument : block.getArguments())
      take(argument);
    for (Operation &op : block)
      for (Value result : op.getResults())
        take(result);
    forward();
    for (Operation &op : llvm::reverse(block))
      if (auto rule = dyn_cast<LayoutOpInterface>(op))
        backward(rule);
    for (Value argument : block.getArguments())
      settle(argument);
    for (auto constant : block.getOps<ConstantOp>())
      settle(constant.getResult());
    forward();
    for (Operation &op : block)
      if (auto rule = dyn_cast<LayoutOpInterface>(op))
        read(rule);
  }

private:
  void take(Value value) {
    if (LayoutAttr layout = getLayout(value))
      plan.produced[value] = layout;
  }

  void settle(Value value) {
    if (!plan.produced.lookup(value))
      plan.produced[value] = rowMajor(value);
  }

  void forward() {
    for (Operation &op : block)
      if (auto rule = dyn_cast<LayoutOpInterface>(op))
        if (!plan.produced.lookup(op.getResult(0)))
          inferResult(rule);
  }

  /// Through the relation from operand `index`, if it is decided; an operand
  /// that is read through broadcasting tells nothing about the result.
  void inferResult(LayoutOpInterface op) {
    LayoutRelation relation = op.getLayoutRelation();
    bool open = false;
    for (OpOperand &operand : op->getOpOperands()) {
      unsigned index = operand.getOperandNumber();
      LayoutAttr known = plan.produced.lookup(operand.get());
      if (isConstant(operand.get()) || relation.independent[index])
        continue;
      open |= !known;
      if (!known)
        continue;
      LayoutAttr carried = carry(relatedOperand(relation, op, index), known,
                                 relatedResult(relation, op));
      if (carried && mayGive(op, carried)) {
        plan.produced[op->getResult(0)] = carried;
        return;
      }
    }
    // Every operand is known, and none passes its order on.
    if (!open)
      plan.produced[op->getResult(0)] = rowMajor(op->getResult(0));
  }

  void backward(LayoutOpInterface op) {
    LayoutAttr known = plan.produced.lookup(op->getResult(0));
    if (!known)
      return;
    LayoutRelation relation = op.getLayoutRelation();
    for (OpOperand &operand : op->getOpOperands()) {
      if (plan.produced.lookup(operand.get()))
        continue;
      RelatedValue to =
          relatedOperand(relation, op, operand.getOperandNumber());
      LayoutAttr carried = carry(relatedResult(relation, op), known, to);
      auto producer = operand.get().getDefiningOp<LayoutOpInterface>();
      if (carried && (!producer || mayGive(producer, carried)))
        plan.produced[operand.get()] = carried;
    }
  }

  /// A kernel has no blocks but those that it knows; a view shows any.
  bool mayGive(LayoutOpInterface op, LayoutAttr layout) const {
    return op.getSensitivity() == Sensitivity::Data ||
           problem.knowsBlocks(layout, op->getResult(0));
  }

  LayoutAttr carry(const RelatedValue &from, LayoutAttr layout,
                   const RelatedValue &to) {
    TransferResult result = transferLayout(from, toStoredOrder(layout), to);
    // A guess is no inference.
    if (!result.layout || !result.complete)
      return {};
    return toLayout(problem.getContext(), *result.layout);
  }

  /// How the op reads its operands if its result stays as inferred.
  void read(LayoutOpInterface op) {
    if (isa<RelayoutOp>(op.getOperation()))
      return;
    Value result = op->getResult(0);
    std::string ignored;
    if (op.getSensitivity() == Sensitivity::Data) {
      // A view of any other order would move data: row-major passes through.
      OpOperand &operand = op->getOpOperand(0);
      if (!viewLayout(op, plan.produced.lookup(operand.get()), ignored))
        plan.read[&operand] = rowMajor(operand.get());
      return;
    }
    Anchor anchor{Anchor::result, plan.produced.lookup(result)};
    auto placement = placeOp(problem, plan, op, anchor, ignored);
    if (!placement)
      placement = placeOp(problem, plan, op, {Anchor::result, rowMajor(result)},
                          ignored);
    if (placement)
      record(plan, op, *placement);
  }

  const LayoutProblem &problem;
  LayoutPlan &plan;
  Block &block;
};
} // namespace

void npu::inferLayouts(mlir::func::FuncOp function, const TargetSpec &target,
                       const ImageAxesAnalysis &axes,
                       ArrayRef<LayoutAttr> outputs) {
  // What a chip demands says nothing about what the source has.
  TargetSpec anything = target;
  anything.demands.clear();
  LayoutProblem problem(function, anything, axes);
  LayoutPlan plan;
  Inferrer(problem, plan).run();
  Operation *end = function.getBody().front().getTerminator();
  for (auto [operand, held] : llvm::zip(end->getOpOperands(), outputs))
    if (held)
      plan.read[&operand] = held;
  applyPlan(function, plan);
}

namespace npu {
#define GEN_PASS_DEF_INFERLAYOUT
#include "compiler/Layout/Passes/Passes.h.inc"
} // namespace npu

namespace {
struct InferLayout : npu::impl::InferLayoutBase<InferLayout> {
  using InferLayoutBase::InferLayoutBase;

  void runOnOperation() override {
    mlir::func::FuncOp function = getOperation();
    if (failed(requireOneBlock(function)) || failed(requireNpuOps(function)))
      return signalPassFailure();
    if (!isDecided(function))
      inferLayouts(function, TargetSpec(), ImageAxesAnalysis(function), {});
    if (showNames)
      remark(function);
  }

  /// "reads NCHW, HW; gives NCHW": only the roles that are known.
  static void remark(mlir::func::FuncOp function) {
    ImageAxesAnalysis axes(function);
    for (Operation &op : function.getBody().front()) {
      if (!isa<LayoutOpInterface>(op))
        continue;
      std::string text;
      for (Value operand : op.getOperands())
        text += (text.empty() ? "reads " : ", ") +
                layoutName(getLayout(operand), axes.rolesOf(operand));
      op.emitRemark() << text << "; gives "
                      << layoutName(getLayout(op.getResult(0)),
                                    axes.rolesOf(op.getResult(0)));
    }
  }
};
} // namespace
