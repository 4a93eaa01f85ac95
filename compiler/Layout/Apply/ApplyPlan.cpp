// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Apply/ApplyPlan.h"

#include "compiler/Dialect/NPU/FusedKernel.h"
#include "compiler/Layout/Apply/CheckElements.h"
#include "compiler/Layout/Apply/CheckSet.h"
#include "compiler/Layout/Apply/FoldLayout.h"
#include "compiler/Layout/Apply/Retype.h"
#include "compiler/Layout/Problem/Alternatives.h"
#include "compiler/Layout/Problem/Cost.h"
#include "compiler/Layout/Problem/Crossings.h"
#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/Replacement.h"
#include "compiler/Layout/Problem/Storage.h"
#include "compiler/Target/CompilerPlugins.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

using namespace npu;

namespace {
class PlanApplier {
public:
  PlanApplier(mlir::func::FuncOp function, const LayoutPlan &plan)
      : function(function), plan(plan), builder(function.getContext()) {}

  void run() {
    Block &block = function.getBody().front();
    SmallVector<Value> values(block.getArguments());
    SmallVector<Operation *> ops;
    for (Operation &op : block) {
      ops.push_back(&op);
      values.append(op.result_begin(), op.result_end());
    }
    for (Value value : values)
      setLayout(value, plan.produced.lookup(value));
    for (Value value : values)
      bringHome(value);
    for (Operation *op : ops)
      for (OpOperand &operand : op->getOpOperands())
        connect(operand);
    for (Operation *op : ops)
      if (isa<FusedOp>(op))
        retypeResult(op, getLayout(op->getResult(0)));
    for (auto &[op, note] : plan.notes)
      op->setAttr(layoutNoteAttr, builder.getStringAttr(note));
    updateSignature(function);
  }

private:
  Value relayout(Value value, LayoutAttr layout, Location location) {
    return RelayoutOp::create(builder, location,
                              withLayout(tensorType(value), layout), value);
  }

  /// An output's relayout belongs to the node that computes it.
  static Location locationOf(OpOperand &operand) {
    if (isa<mlir::func::ReturnOp>(operand.getOwner()))
      return operand.get().getLoc();
    return operand.getOwner()->getLoc();
  }

  /// The relayout directly behind a value that its readers see in its place.
  void bringHome(Value value) {
    LayoutAttr home = plan.home.lookup(value);
    if (!home || isStoredAs(value, home) || value.use_empty())
      return;
    builder.setInsertionPointAfterValue(value);
    Value back = relayout(value, home, value.getLoc());
    value.replaceAllUsesExcept(back, back.getDefiningOp());
  }

  void connect(OpOperand &operand) {
    LayoutAttr wanted = plan.read.lookup(&operand);
    if (wanted && !isStoredAs(operand.get(), wanted)) {
      builder.setInsertionPoint(placeOfCopy(operand));
      operand.set(copyOf(operand.get(), wanted, locationOf(operand)));
    }
    if (plan.spelled.contains(&operand) && getLayout(operand.get()) != wanted) {
      builder.setInsertionPoint(placeOfCopy(operand));
      operand.set(relayout(operand.get(), wanted, locationOf(operand)));
    }
    retypeOperand(operand);
  }

  /// Ahead of the op that reads it; of a split one's second kernel ahead of the
  /// first, for nothing else runs while the value between is there.
  static Operation *placeOfCopy(OpOperand &operand) {
    Operation *owner = operand.getOwner();
    if (!isRestOfSplit(*owner) ||
        isFirstOfSplit(sourceOf(operand.get()).getDefiningOp()))
      return owner;
    for (Value other : owner->getOperands())
      if (Operation *first = sourceOf(other).getDefiningOp();
          isFirstOfSplit(first))
        return first;
    return owner;
  }

  /// The copy in a layout, made if it is not there yet.
  Value copyOf(Value source, LayoutAttr wanted, Location location) {
    Value copy = plan.home.empty() ? findShared(source, wanted) : Value();
    if (copy)
      return copy;
    Value from = source;
    auto steps = plan.copies.find(source);
    if (steps != plan.copies.end())
      for (const CopyStep &step : steps->second)
        if (sameStorage(source, step.to, wanted) &&
            !isStoredAs(source, step.from))
          from = copyOf(source, step.from, location);
    copy = relayout(from, wanted, location);
    relayouts[source].push_back(copy);
    return copy;
  }

  Value findShared(Value source, LayoutAttr wanted) {
    for (Value candidate : relayouts.lookup(source))
      if (isStoredAs(candidate, wanted))
        return candidate;
    return {};
  }

  mlir::func::FuncOp function;
  const LayoutPlan &plan;
  OpBuilder builder;
  llvm::DenseMap<Value, SmallVector<Value, 1>> relayouts;
};
} // namespace

/// Whether the op takes the operand as the value is spelled where it is stored.
static bool takesSpelling(const LayoutProblem &problem,
                          const LayoutRelation &relation, OpOperand &operand,
                          LayoutAttr stored, LayoutAttr result) {
  const bool isKnown = problem.knowsBlocks(stored, operand.get()) ||
                       !problem.demanded(operand).empty();
  return isKnown && (relation.independent[operand.getOperandNumber()] ||
                     problem.goTogether(operand, stored, relation, result,
                                        /*signature=*/0));
}

void npu::spellAsRead(const LayoutProblem &problem, LayoutPlan &plan) {
  mlir::func::FuncOp function = problem.function;
  for (Operation &op : function.getBody().front()) {
    auto rule = dyn_cast<LayoutOpInterface>(op);
    if (rule && rule.getSensitivity() == Sensitivity::Data)
      continue; // a view takes whatever lies alike
    LayoutRelation relation =
        rule ? rule.getLayoutRelation() : LayoutRelation();
    for (OpOperand &operand : op.getOpOperands()) {
      LayoutAttr stored = plan.currentLayout(operand.get()),
                 wanted = plan.read.lookup(&operand);
      if (!wanted || wanted == stored)
        continue;
      // Of a result of the function it is its blocks that kernels then know.
      const bool counts =
          rule ? !sameStorage(operand.get(), stored, wanted) ||
                     !takesSpelling(problem, relation, operand, stored,
                                    plan.produced.lookup(op.getResult(0)))
               : wanted.isBlocked();
      if (counts)
        plan.spelled.insert(&operand);
    }
  }
}

void npu::applyPlan(mlir::func::FuncOp function, const LayoutPlan &plan) {
  PlanApplier(function, plan).run();
}

/// Whether an algorithm computes an op in the layouts that it has.
static bool stands(const ResidentProblem &problem, const Alternative &algorithm,
                   Operation *op) {
  OpLayouts layouts = layoutsOf(op);
  return algorithm.fits(op, layouts) &&
         (!algorithm.set ||
          costOfSet(problem, algorithm, cast<LayoutOpInterface>(op), layouts));
}

LogicalResult npu::settleAlgorithms(const LayoutProblem &problem,
                                    LayoutPlan &plan) {
  if (plan.choosesAlgorithms)
    plan.algorithms = cheapestAlgorithms(problem);
  for (auto [op, pinned] : problem.pins.algorithms)
    plan.algorithms[op] = pinned;
  // Whatever stays on the chip, the same layouts can be had.
  const auto resident = ResidentProblem::withMost(problem);
  for (Operation &op : problem.function->getRegion(0).front()) {
    const Alternative *algorithm = plan.algorithms.lookup(&op);
    if (algorithm && stands(resident, *algorithm, &op))
      continue;
    plan.algorithms.erase(&op);
    if (algorithm && problem.pins.algorithms.contains(&op))
      return op.emitOpError()
             << "is pinned to algorithm '" << algorithm->name
             << "', which does not compute it in the layouts that this "
                "strategy gives it; pin its layouts, too, or use "
                "--layout=optimal";
  }
  return success();
}

/// The layouts in which the op that is replaced reads its operands: what a
/// layout plan says of it.
static Attribute readsOf(Operation *op) {
  SmallVector<Attribute> reads;
  for (Value operand : op->getOperands())
    reads.push_back(getLayout(operand));
  return mlir::ArrayAttr::get(op->getContext(), reads);
}

namespace {
/// A set of ops and the one whose place it takes.
struct Substitute {
  const Alternative *alternative;
  Operation *op;
  std::unique_ptr<Replacement> made;
};
} // namespace

/// With its layouts. Nothing is put in yet: prices are those of the function as
/// it was decided.
static FailureOr<Substitute> prepare(const Alternative &alternative,
                                     Operation *op,
                                     const ResidentProblem &problem,
                                     bool verify) {
  auto made = makeReplacement(alternative, cast<LayoutOpInterface>(op),
                              /*withData=*/true);
  if (failed(made))
    return failure();
  std::optional<PricedReplacement> decided;
  if (*made)
    decided = layOut(**made, problem, op, layoutsOf(op));
  if (!decided)
    return op->emitOpError()
           << alternative.blame("gives another replacement with constants than "
                                "it gave without");
  mlir::OwningOpRef<mlir::func::FuncOp> source;
  if (verify) {
    if (failed(checkSet(alternative, op, **made)))
      return failure();
    source = (*made)->function.clone();
  }
  applyPlan((*made)->function, decided->plan);
  if (source && failed(checkExactly(*source, (*made)->function)))
    return failure();
  return Substitute{&alternative, op, std::move(*made)};
}

static void putIn(const Substitute &substitute) {
  mlir::func::FuncOp function = substitute.made->function;
  Operation *op = substitute.op;
  mlir::IRMapping mapping;
  for (auto [argument, operand] :
       llvm::zip(function.getArguments(), substitute.made->operands))
    mapping.map(argument, op->getOperand(operand));
  OpBuilder builder(op);
  Block &block = function.getBody().front();
  for (Operation &one : block.without_terminator()) {
    Operation *copy = builder.clone(one, mapping);
    if (!isa<ConstantOp>(copy))
      copy->walk([&](Operation *inner) { inner->setLoc(op->getLoc()); });
  }
  Value result = mapping.lookup(block.getTerminator()->getOperand(0));
  Operation *last = result.getDefiningOp();
  for (mlir::NamedAttribute attribute : op->getDiscardableAttrs())
    last->setDiscardableAttr(attribute.getName(), attribute.getValue());
  last->setDiscardableAttr(
      replacementAttr,
      builder.getDictionaryAttr(
          {builder.getNamedAttr(
               "name", builder.getStringAttr(substitute.alternative->name)),
           builder.getNamedAttr("reads", readsOf(op))}));
  // Who reads it is of that type, however the set spells what it stores.
  Type type = op->getResult(0).getType();
  if (result.getType() != type)
    result = RelayoutOp::create(builder, op->getLoc(), type, result);
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

LogicalResult npu::applyAlgorithms(mlir::func::FuncOp function,
                                   const LayoutPlan &plan,
                                   const TargetSpec &target,
                                   Objective objective, bool verify) {
  ImageAxesAnalysis axes(function);
  LayoutProblem problem(function, target, axes);
  problem.objective = objective;
  auto resident = ResidentProblem::withMost(problem);
  if (llvm::any_of(plan.algorithms,
                   [](const auto &one) { return one.second->isSet(); }))
    resident = {problem, *costOf(problem, plan.algorithms).onChip};
  // In the block's order: what is written must not depend on addresses.
  SmallVector<std::pair<Operation *, const Alternative *>> chosen;
  SmallVector<Substitute> substitutes;
  for (Operation &op : function.getBody().front()) {
    const Alternative *algorithm = plan.algorithms.lookup(&op);
    if (!algorithm)
      continue;
    if (!algorithm->isSet()) {
      chosen.push_back({&op, algorithm});
      continue;
    }
    FailureOr<Substitute> substitute =
        prepare(*algorithm, &op, resident, verify);
    if (failed(substitute))
      return failure();
    substitutes.push_back(std::move(*substitute));
  }
  llvm::for_each(substitutes, putIn);
  for (auto [op, algorithm] : chosen) {
    OpBuilder builder(op);
    if (!algorithm->replace(builder, op))
      return failure();
  }
  return foldConstantRelayouts(function), success();
}
