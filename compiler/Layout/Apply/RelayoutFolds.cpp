// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Apply/RelayoutFolds.h"

#include "compiler/Layout/Apply/Retype.h"
#include "compiler/Layout/Problem/Storage.h"

using namespace npu;

RelayoutFolds::RelayoutFolds(mlir::func::FuncOp function, Takes takes)
    : takes(std::move(takes)) {
  for (Operation &op : function.getBody().front()) {
    // Each comes behind all that are there.
    if (isa<RelayoutOp>(op))
      relayouts.insert(relayouts.end(), &op);
    else if (isa<LayoutOpInterface>(op) && waiting.insert(&op).second)
      ops.insert(ops.end(), &op);
    if (isa<RelayoutOp, ConstantOp>(op))
      perhapsDead.push_back(&op);
  }
  eraseDead();
}

void RelayoutFolds::wake(Operation *op) {
  if (llvm::isa_and_nonnull<RelayoutOp>(op))
    relayouts.insert(op);
  else if (llvm::isa_and_nonnull<LayoutOpInterface>(op) &&
           waiting.insert(op).second)
    ops.insert(op);
}

// Ops look through the relayouts around them, and at who else reads these.
void RelayoutFolds::touch(Value value) {
  wake(value.getDefiningOp());
  if (auto relayout = value.getDefiningOp<RelayoutOp>())
    wake(relayout.getInput().getDefiningOp());
  for (Operation *user : value.getUsers()) {
    wake(user);
    if (isa<RelayoutOp>(user))
      for (Operation *reader : user->getUsers())
        wake(reader);
  }
}

void RelayoutFolds::dropped(Value value) {
  Operation *op = value.getDefiningOp();
  if (llvm::isa_and_nonnull<RelayoutOp, ConstantOp>(op))
    perhapsDead.push_back(op);
}

Operation *RelayoutFolds::takeOp() {
  if (ops.empty())
    return nullptr;
  Operation *first = *ops.begin();
  ops.erase(ops.begin());
  waiting.erase(first);
  return first;
}

void RelayoutFolds::eraseDead() {
  llvm::SmallPtrSet<Operation *, 8> erased;
  while (!perhapsDead.empty()) {
    Operation *op = perhapsDead.pop_back_val();
    if (erased.contains(op) || !op->use_empty())
      continue;
    relayouts.erase(op);
    erased.insert(op);
    SmallVector<Value> operands(op->getOperands());
    op->erase();
    for (Value operand : operands) {
      touch(operand);
      dropped(operand);
    }
  }
}

/// Readers read `to`, which has the same elements and storage.
void RelayoutFolds::replaceReads(RelayoutOp from, Value to) {
  for (OpOperand &use : llvm::make_early_inc_range(from->getUses())) {
    use.set(to);
    retypeOperand(use);
  }
  dropped(from.getResult()); // and what it reads is touched when it is gone
  touch(to);
}

void RelayoutFolds::foldConstant(RelayoutOp op) {
  auto constant = op.getInput().getDefiningOp<ConstantOp>();
  if (!constant || op->use_empty())
    return;
  OpBuilder builder(constant->getNextNode());
  // The elements are in logical order: only the type changes.
  auto stored = ConstantOp::create(
      builder, constant.getLoc(), op.getResult().getType(), constant.getValue(),
      constant.getTapsAttr(), constant.getTileAttr());
  replaceReads(op, stored.getResult());
}

/// Whether the reader, which reads a value stored like this one, may read it
/// as it is spelled: whose padding it is tells an op what goes together.
bool RelayoutFolds::mayRead(OpOperand &use, Value value) {
  auto reader = dyn_cast<LayoutOpInterface>(use.getOwner());
  if (!reader || !takes || use.get().getType() == value.getType())
    return true;
  Value before = use.get();
  bool took = takes(reader);
  use.set(value);
  bool may = !took || takes(reader);
  use.set(before);
  return may;
}

/// Whether all that read the relayout may read the value instead, which is
/// stored like it.
bool RelayoutFolds::mayAllRead(RelayoutOp op, Value value) {
  bool isResult = llvm::any_of(op->getUsers(), [](Operation *user) {
    return isa<mlir::func::ReturnOp>(user);
  });
  // The signature keeps its letters, even where other letters mean the same.
  if (isResult && value.getType() != op.getResult().getType())
    return false;
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : op->getUses())
    uses.push_back(&use);
  return llvm::all_of(uses,
                      [&](OpOperand *use) { return mayRead(*use, value); });
}

static bool movesNothing(RelayoutOp op) {
  return isStoredAs(op.getInput(), getLayout(op.getResult()));
}

// Pattern: relayout(x) : A -> A  ->  x
bool RelayoutFolds::foldIdentity(RelayoutOp op) {
  if (!movesNothing(op))
    return false;
  if (op->use_empty() || !mayAllRead(op, op.getInput()))
    return false;
  replaceReads(op, op.getInput());
  return true;
}

// Pattern: relayout(relayout(x) : A -> B) : B -> C  ->  relayout(x) : A -> C
bool RelayoutFolds::foldChain(RelayoutOp op) {
  auto inner = op.getInput().getDefiningOp<RelayoutOp>();
  if (!inner)
    return false;
  // Who only spells another reader's copy anew would become a second copy.
  if (movesNothing(op) && !movesNothing(inner) && !inner->hasOneUse())
    return false;
  op.getInputMutable().set(inner.getInput());
  dropped(inner.getResult());
  touch(inner.getResult());
  touch(op.getResult());
  touch(op.getInput());
  return true;
}

// Pattern: relayout(x) : A -> B twice  ->  once
bool RelayoutFolds::foldDuplicate(RelayoutOp op) {
  for (Operation *user : op.getInput().getUsers()) {
    auto other = dyn_cast<RelayoutOp>(user);
    if (!other || other == op || op.use_empty() ||
        !other->isBeforeInBlock(op) ||
        !isStoredAs(other.getResult(), getLayout(op.getResult())) ||
        !mayAllRead(op, other.getResult()))
      continue;
    replaceReads(op, other.getResult());
    return true;
  }
  return false;
}

void RelayoutFolds::foldConstants() {
  SmallVector<Operation *> waiting(relayouts.begin(), relayouts.end());
  for (Operation *op : waiting)
    foldConstant(cast<RelayoutOp>(op));
  eraseDead();
}

void RelayoutFolds::run() {
  foldConstants();
  while (!relayouts.empty()) {
    // One walk: what wakes behind the place is met on the way.
    for (auto at = relayouts.begin(); at != relayouts.end();) {
      auto op = cast<RelayoutOp>(*at);
      relayouts.erase(at);
      (void)(foldChain(op) || foldIdentity(op) || foldDuplicate(op));
      at = relayouts.upper_bound(op);
    }
    eraseDead();
  }
}
