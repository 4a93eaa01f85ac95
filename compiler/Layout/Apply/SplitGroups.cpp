// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Apply/SplitGroups.h"

#include "compiler/Dialect/NPU/FusedKernel.h"
#include "compiler/Layout/Problem/Crossings.h"
#include "compiler/Layout/Problem/SplitGroup.h"

#include "llvm/ADT/STLExtras.h"

using namespace npu;

/// In place of an op that stays, and that nobody reads any more.
static TwoKernels putTwo(FusedOp op, unsigned cut) {
  OpBuilder builder(op);
  mlir::IRMapping outside;
  for (auto [inner, operand] :
       llvm::zip(op.getBody().front().getArguments(), op->getOperands()))
    outside.map(inner, operand);
  TwoKernels two = makeTwo(builder, *cutBody(op, cut), outside);
  op->getResult(0).replaceAllUsesWith(two.rest->getResult(0));
  return two;
}

namespace {

class Splitter {
public:
  Splitter(const LayoutProblem &problem, LayoutPlan &plan, LayoutPins &pins)
      : problem(problem), plan(plan), pins(pins) {}

  void split(FusedOp op, const PlannedSplit &planned) {
    SmallVector<Attribute> demanded;
    for (LayoutAttr layout : problem.demanded(cast<OpResult>(op->getResult(0))))
      demanded.push_back(layout);
    TwoKernels two = putTwo(op, planned.row->cut);
    carryOperands(op, two.first, two.firstReads, planned);
    carryOperands(op, two.rest, two.restReads, planned);
    Value before = op.getResult(), after = two.rest->getResult(0);
    Value between = two.first->getResult(0);
    plan.produced[between] = planned.stored;
    plan.produced[after] = plan.produced.lookup(before);
    plan.produced.erase(before);
    carry(plan.copies, before, after);
    carry(pins.values, before, after);
    pins.algorithms.erase(op);
    mark(op, two, planned, demanded);
    replaced.push_back(op);
  }

  /// No sooner: until the last is split the problem remembers them.
  void eraseReplaced() {
    for (FusedOp op : llvm::reverse(replaced))
      op->erase();
  }

private:
  template <class Map, class Key>
  static void carry(Map &map, Key from, Key to) {
    auto found = map.find(from);
    if (found == map.end())
      return;
    auto kept = std::move(found->second);
    map.erase(found);
    map[to] = std::move(kept);
  }

  /// Those that the kernel has of the op, and the value between.
  void carryOperands(FusedOp op, Operation *kernel, ArrayRef<int> reads,
                     const PlannedSplit &planned) {
    for (auto [operand, index] : llvm::zip(kernel->getOpOperands(), reads)) {
      if (index == TwoKernels::between) {
        plan.read[&operand] = planned.read;
        plan.spelled.insert(&operand);
        continue;
      }
      OpOperand &whole = op->getOpOperand(index);
      if (LayoutAttr layout = plan.read.lookup(&whole))
        plan.read[&operand] = layout;
      if (plan.spelled.contains(&whole))
        plan.spelled.insert(&operand);
      if (LayoutAttr pin = pins.reads.lookup(&whole))
        pins.reads[&operand] = pin;
    }
  }

  void mark(FusedOp op, const TwoKernels &two, const PlannedSplit &planned,
            ArrayRef<Attribute> demanded) {
    OpBuilder builder(op.getContext());
    SmallVector<Attribute> reads;
    for (OpOperand &operand : op->getOpOperands()) {
      reads.push_back(plan.layoutRead(operand));
      forget(operand);
    }
    for (mlir::NamedAttribute attribute : op->getDiscardableAttrs())
      two.rest->setDiscardableAttr(attribute.getName(), attribute.getValue());
    two.first->setDiscardableAttr(splitAttr, builder.getUnitAttr());
    if (planned.place > 0)
      two.first->setDiscardableAttr(
          splitPlaceAttr,
          builder.getDenseI64ArrayAttr({planned.place, planned.copies}));
    SmallVector<int64_t> shared;
    for (auto [number, operand] : llvm::enumerate(two.restReads))
      if (operand != TwoKernels::between &&
          llvm::is_contained(two.firstReads, operand))
        shared.push_back(static_cast<int64_t>(number));
    two.rest->setDiscardableAttr(
        splitAttr,
        builder.getDictionaryAttr(
            {builder.getNamedAttr("name",
                                  builder.getStringAttr(planned.row->name)),
             builder.getNamedAttr("reads", builder.getArrayAttr(reads)),
             builder.getNamedAttr(splitDemandedName,
                                  builder.getArrayAttr(demanded)),
             builder.getNamedAttr(splitSharedName,
                                  builder.getDenseI64ArrayAttr(shared))}));
  }

  void forget(OpOperand &operand) {
    plan.read.erase(&operand);
    plan.spelled.erase(&operand);
    pins.reads.erase(&operand);
  }

  const LayoutProblem &problem;
  LayoutPlan &plan;
  LayoutPins &pins;
  SmallVector<FusedOp> replaced;
};

} // namespace

void npu::splitGroups(const LayoutProblem &problem, LayoutPlan &plan,
                      LayoutPins &pins) {
  mlir::func::FuncOp function = problem.function;
  Splitter splitter(problem, plan, pins);
  for (auto op : function.getBody().front().getOps<FusedOp>()) {
    auto planned = plan.splits.find(op);
    if (planned != plan.splits.end())
      splitter.split(op, planned->second);
  }
  splitter.eraseReplaced();
  plan.splits.clear();
}

bool npu::hasSplits(mlir::func::FuncOp finished) {
  return llvm::any_of(finished.getBody().front(), isRestOfSplit);
}

void npu::splitAlike(mlir::func::FuncOp function, mlir::func::FuncOp finished) {
  SmallVector<unsigned> cuts; // 0: none
  for (Operation &op : finished.getBody().front())
    if (const Alternative *row = splitOf(&op))
      cuts.push_back(row->cut);
    else if (isComputing(op) && !isFirstOfSplit(&op))
      cuts.push_back(0);
  size_t number = 0;
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front())) {
    if (!isComputing(op))
      continue;
    const unsigned cut = number < cuts.size() ? cuts[number] : 0;
    ++number;
    if (cut == 0 || !isa<FusedOp>(op))
      continue;
    putTwo(cast<FusedOp>(op), cut);
    op.erase();
  }
}
