// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Problem/Crossings.h"

#include "compiler/Dialect/NPU/Device.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace npu;

Value npu::sourceOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    // Most ops are told by this; to ask a fused one is to look into its body.
    if (op->getNumOperands() != 1 || op->getNumRegions() > 0)
      break;
    auto rule = dyn_cast<LayoutOpInterface>(op);
    if (!rule || rule.getSensitivity() != Sensitivity::Data)
      break;
    value = op->getOperand(0);
  }
  return value;
}

bool npu::isComputing(Operation &op) {
  auto rule = dyn_cast<LayoutOpInterface>(op);
  return rule &&
         (op.getNumRegions() > 0 || rule.getSensitivity() != Sensitivity::Data);
}

/// Whether a computing op that `fits` reads the value, or what a relayout or
/// view makes of it.
static bool hasReader(Value value, llvm::function_ref<bool(Operation *)> fits) {
  SmallVector<Value> waiting = {value};
  while (!waiting.empty())
    for (Operation *user : waiting.pop_back_val().getUsers()) {
      if (!isComputing(*user))
        llvm::append_range(waiting, user->getResults());
      else if (fits(user))
        return true;
    }
  return false;
}

static bool isMadeOnChip(Value value) {
  Operation *producer = sourceOf(value).getDefiningOp();
  return producer && isComputing(*producer) && !isOnProcessor(producer);
}

Crossings npu::crossingsOf(Operation *op) {
  Crossings crossings;
  for (Value operand : op->getOperands())
    crossings.operands.push_back(isMadeOnChip(operand));
  crossings.result = llvm::any_of(op->getResults(), [](Value result) {
    return hasReader(result,
                     [](Operation *user) { return !isOnProcessor(user); });
  });
  return crossings;
}

/// What relayouts copy: the same value for a search, which has none yet.
static Value copiedBy(Value value) {
  while (auto copy = value.getDefiningOp<RelayoutOp>())
    value = copy.getInput();
  return value;
}

bool npu::comesWithOther(Operation *op, unsigned operand,
                         ArrayRef<LayoutAttr> layouts) {
  Value value = copiedBy(op->getOperand(operand));
  LayoutAttr layout = layouts[operand];
  return llvm::any_of(llvm::seq(operand), [&](unsigned other) {
    LayoutAttr its = layouts[other];
    return copiedBy(op->getOperand(other)) == value &&
           (its == layout ||
            (its && layout &&
             its.isEquivalent(layout, tensorType(value).getShape())));
  });
}

bool npu::staysOnChip(Value value) {
  return isMadeOnChip(value) &&
         !hasReader(value, [](Operation *user) { return isOnProcessor(user); });
}
