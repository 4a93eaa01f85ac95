// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Problem/OpSlots.h"

#include "compiler/Dialect/NPU/LayoutUse.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Problem/Placement.h"
#include "compiler/Layout/Problem/Storage.h"
#include "compiler/Target/AcceptedLayouts.h"

using namespace npu;

bool Slot::accepts(LayoutAttr layout) const {
  if (accepted.empty() && kernels)
    return kernels->knowsBlocks(layout, value);
  return isAccepted(accepted, value, layout);
}

bool npu::multiplyNothing(ArrayRef<Signature> signatures) {
  return llvm::all_of(signatures, [](const Signature &signature) {
    return signature.cost == 1 && signature.factors.empty();
  });
}

OpSlots::OpSlots(const LayoutProblem &problem, LayoutOpInterface op)
    : OpSlots(problem, op, std::nullopt) {
  SmallVector<unsigned> all = problem.signatures(op);
  ArrayRef<Signature> listed = signaturesOf(problem.target, op);
  if (listed.size() < 2)
    return;
  const bool costAlike = multiplyNothing(listed);
  for (unsigned signature : all) {
    OpSlots one(problem, op, signature);
    if (!costAlike || llvm::none_of(bySignature, [&](const OpSlots &other) {
          return other.hasAllOf(one);
        }))
      bySignature.push_back(std::move(one));
  }
}

/// Whether all layouts of another signature are this one's, too: each value has
/// them whatever the others have.
bool OpSlots::hasAllOf(const OpSlots &other) const {
  return llvm::all_of(llvm::zip(slots, other.slots), [](auto pair) {
    auto &[mine, others] = pair;
    auto has = [&, &mine = mine](LayoutAttr layout) {
      return isAmong(mine.value, layout, mine.accepted);
    };
    return (mine.independent || mine.result) &&
           (mine.accepted.empty() ||
            (!others.accepted.empty() && llvm::all_of(others.accepted, has)));
  });
}

OpSlots::OpSlots(const LayoutProblem &problem, LayoutOpInterface op,
                 LayoutProblem::OneOf signature)
    : op(op), relation(op.getLayoutRelation()) {
  const LayoutProblem *kernels = isView() ? nullptr : &problem;
  auto add = [&](auto &&place, Value value, Slot slot) {
    slot.value = value;
    slot.listed = problem.demanded(place, signature);
    slot.accepted =
        problem.pins.empty() ? slot.listed : problem.accepted(place, signature);
    slot.kernels = kernels;
    slots.push_back(std::move(slot));
  };
  for (OpOperand &operand : op->getOpOperands()) {
    Slot slot;
    slot.independent = relation.independent[operand.getOperandNumber()];
    slot.constant = isConstant(operand.get());
    add(operand, operand.get(), std::move(slot));
  }
  for (OpResult result : op->getResults()) {
    Slot slot;
    slot.result = true;
    add(result, result, std::move(slot));
  }
  findAlike();
}

void OpSlots::standFor(const LayoutProblem &problem,
                       ArrayRef<OuterSlot> outer) {
  for (auto [slot, other] : llvm::zip_equal(slots, outer)) {
    if (other.value)
      slot.value = other.value;
    if (other.pin)
      slot.accepted = {other.pin};
    if (slot.kernels)
      slot.kernels = &problem;
  }
  for (OpSlots &one : bySignature)
    one.standFor(problem, outer);
}

bool OpSlots::areAlike(unsigned a, unsigned b) const {
  if (a >= anchor() || b >= anchor())
    return a == b;
  const Slot &one = slots[a], &other = slots[b];
  return relation.operands[a] == relation.operands[b] &&
         one.value.getType() == other.value.getType() &&
         one.accepted == other.accepted &&
         one.independent == other.independent && one.constant == other.constant;
}

void OpSlots::findAlike() {
  SmallVector<unsigned> firsts;
  for (unsigned index = 0; index < slots.size(); ++index) {
    const unsigned *first = llvm::find_if(
        firsts, [&](unsigned other) { return areAlike(index, other); });
    alike.push_back(first == firsts.end() ? index : *first);
    if (first == firsts.end())
      firsts.push_back(index);
  }
}

bool OpSlots::isView() const {
  return op.getSensitivity() == Sensitivity::Data;
}

RelatedValue OpSlots::related(unsigned index) const {
  return index < anchor() ? relatedOperand(relation, op, index)
                          : relatedResult(relation, op, index - anchor());
}

SmallVector<int64_t, 4> OpSlots::extentsOf(int group) const {
  SmallVector<int64_t, 4> extents;
  for (auto [index, slot] : llvm::enumerate(slots)) {
    if (slot.independent || slot.constant)
      continue;
    RelatedValue value = related(index);
    int64_t dim = value.wholeDim(group);
    if (dim >= 0 && !llvm::is_contained(extents, value.shape[dim]))
      extents.push_back(value.shape[dim]);
  }
  return extents;
}

TransferResult OpSlots::transfer(unsigned from, LayoutAttr layout,
                                 unsigned to) const {
  return transferLayout(related(from), toStoredOrder(layout), related(to));
}

LayoutAttr OpSlots::carry(unsigned from, LayoutAttr layout, unsigned to,
                          bool *complete) const {
  TransferResult result = transfer(from, layout, to);
  if (complete)
    *complete = result.complete;
  return result.layout ? toLayout(op->getContext(), *result.layout)
                       : LayoutAttr();
}

bool OpSlots::goTogether(LayoutAttr anchorLayout, unsigned slot,
                         LayoutAttr layout, bool respelled) const {
  const Slot &result = slots[anchor()];
  const LayoutProblem *kernels = result.kernels;
  return npu::goTogether(
      {related(slot), layout, slots[slot].listed},
      {related(anchor()), anchorLayout, result.listed}, [&](int64_t size) {
        return respelled && (!kernels || kernels->knowsBlock(size));
      });
}

SmallVector<LayoutAttr> OpSlots::placesOfConstant(LayoutAttr anchorLayout,
                                                  unsigned index) const {
  const Slot &slot = slots[index];
  if (slot.independent && !slot.accepted.empty())
    return {preferred(slot.accepted, slot.value)};
  bool complete = false;
  LayoutAttr carried = carry(anchor(), anchorLayout, index, &complete);
  if (slot.independent)
    return {carried && complete && slot.accepts(carried)
                ? carried
                : rowMajor(slot.value)};
  SmallVector<LayoutAttr> places;
  auto add = [&](LayoutAttr layout) {
    if (!isAmong(slot.value, layout, places) &&
        goTogether(anchorLayout, index, layout))
      places.push_back(layout);
  };
  if (carried && slot.accepts(carried))
    add(carried);
  llvm::for_each(slot.accepted, add);
  // What follows may be padded around one element, for the result's sake.
  if (LayoutAttr plain = rowMajor(slot.value); slot.accepts(plain))
    add(plain);
  return places;
}
