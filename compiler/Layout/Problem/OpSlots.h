// SPDX-License-Identifier: Apache-2.0
//
// The values of one op side by side, with what the target accepts for each:
// asked once, used many times by a search.
#ifndef NPU_COMPILER_LAYOUT_PROBLEM_OPSLOTS_H
#define NPU_COMPILER_LAYOUT_PROBLEM_OPSLOTS_H

#include "compiler/Dialect/NPU/LayoutTransfer.h"
#include "compiler/Layout/Problem/LayoutProblem.h"

namespace npu {

/// An operand or a result of an op.
struct Slot {
  Value value;
  SmallVector<LayoutAttr> accepted; // empty: any
  /// The same without pins: what says which orders go together. Of all of the
  /// op's signatures, unless the slots are of one.
  SmallVector<LayoutAttr> listed;
  /// Takes any layout whatever the others have.
  bool independent = false;
  /// An operand that is known at compile time.
  bool constant = false;
  bool result = false;
  /// Whose blocks the slot knows; null: a view, which shows any.
  const LayoutProblem *kernels = nullptr;

  bool accepts(LayoutAttr layout) const;
};

/// Whether none of these signatures changes an op's time: which of them it is
/// does not matter to what it costs.
bool multiplyNothing(ArrayRef<Signature> signatures);

/// What a slot of an op is outside of the op's own function.
struct OuterSlot {
  Value value; // null: what it is
  LayoutAttr pin;
};

/// Operands, then results.
class OpSlots {
public:
  OpSlots(const LayoutProblem &problem, LayoutOpInterface op);

  /// Lets the slots be of other values of the same shapes, in a function of
  /// another problem.
  void standFor(const LayoutProblem &problem, ArrayRef<OuterSlot> outer);

  ArrayRef<Slot> all() const { return slots; }
  /// The same op as each of its signatures has it; an op's layouts are one's.
  ArrayRef<OpSlots> signatures() const {
    return bySignature.empty() ? ArrayRef<OpSlots>(*this)
                               : ArrayRef<OpSlots>(bySignature);
  }
  const Slot &operator[](unsigned index) const { return slots[index]; }
  /// The first result: what the others are measured against.
  unsigned anchor() const { return op->getNumOperands(); }
  bool isView() const;
  /// The first slot of which the same follows from, and for, every layout: one
  /// place for the thousand operands of a concatenation.
  unsigned firstAlike(unsigned index) const { return alike[index]; }
  LayoutOpInterface getOp() const { return op; }

  /// What follows for one slot from another's order.
  TransferResult transfer(unsigned from, LayoutAttr layout, unsigned to) const;
  /// The same as a layout; null where none follows.
  LayoutAttr carry(unsigned from, LayoutAttr layout, unsigned to,
                   bool *complete = nullptr) const;
  /// Whether a slot may have its order while the anchor has the other. Not
  /// `respelled`: as both are spelled, not only in blocks of another size.
  bool goTogether(LayoutAttr anchorLayout, unsigned slot, LayoutAttr layout,
                  bool respelled = true) const;
  /// In what orders a constant operand may be stored; none where none will do.
  SmallVector<LayoutAttr> placesOfConstant(LayoutAttr anchorLayout,
                                           unsigned slot) const;

  const LayoutRelation &getRelation() const { return relation; }
  /// A slot's value within the relation.
  RelatedValue related(unsigned index) const;
  /// The extents of a dimension in the op's values that have it.
  SmallVector<int64_t, 4> extentsOf(int group) const;

private:
  OpSlots(const LayoutProblem &problem, LayoutOpInterface op,
          LayoutProblem::OneOf signature);
  bool hasAllOf(const OpSlots &other) const;
  bool areAlike(unsigned a, unsigned b) const;
  void findAlike();

  mutable LayoutOpInterface op; // MLIR's interfaces have no const methods
  LayoutRelation relation;
  SmallVector<Slot> slots;
  SmallVector<unsigned> alike;      // by slot
  std::vector<OpSlots> bySignature; // empty: there is one
};

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_PROBLEM_OPSLOTS_H
