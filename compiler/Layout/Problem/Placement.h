// SPDX-License-Identifier: Apache-2.0
//
// One op's layouts from one of them: what every strategy asks of an op.
#ifndef NPU_COMPILER_LAYOUT_PROBLEM_PLACEMENT_H
#define NPU_COMPILER_LAYOUT_PROBLEM_PLACEMENT_H

#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"

namespace npu {

/// The layouts in which an op reads its operands and gives its result.
struct Placement {
  SmallVector<LayoutAttr> operands;
  LayoutAttr result;
};

/// A value of an op whose layout is given: operand `index`, or the result.
struct Anchor {
  static constexpr int result = -1;
  int index;
  LayoutAttr layout;
};

/// The placement in which the anchor has its layout, everything else follows
/// through the op's relation and every demand is met. Operands keep the layout
/// that they are produced in where it fits. Nothing, with one clause in
/// `whyNot`, if there is none. By one of the op's signatures, or by the first
/// that it fits.
std::optional<Placement> placeOp(const LayoutProblem &problem,
                                 const LayoutPlan &plan, LayoutOpInterface op,
                                 const Anchor &anchor, std::string &whyNot,
                                 LayoutProblem::OneOf signature = {});

/// The same by each of the op's signatures that it fits.
SmallVector<Placement, 1> placementsOf(const LayoutProblem &problem,
                                       const LayoutPlan &plan,
                                       LayoutOpInterface op,
                                       const Anchor &anchor);

/// Anchors from what the target accepts: of the result, or of the operands
/// where it says nothing of the result (image axes may be known of one operand
/// only), and of the result in what two of them leave open to each other.
SmallVector<Anchor> acceptedAnchors(const LayoutProblem &problem,
                                    LayoutOpInterface op);

/// What an op's pins say about its placement, the result's first: what a
/// strategy tries before its own ideas. Operands that are independent of the
/// others (weights) do not appear.
SmallVector<Anchor> pinnedAnchors(const LayoutProblem &problem,
                                  LayoutOpInterface op);

/// A placement around what the target accepts, where nothing else is wished
/// for. Nothing only where the target's own layouts for the op contradict each
/// other.
std::optional<Placement> placeByDemand(const LayoutProblem &problem,
                                       const LayoutPlan &plan,
                                       LayoutOpInterface op);

/// A transpose or reshape between layouts that the target accepts for it: its
/// operand in the first of `wishes` that will do, else as demanded, else
/// row-major. It is a free view if some order makes it one, and moves its data
/// where none does.
Placement placeView(const LayoutProblem &problem, LayoutOpInterface op,
                    ArrayRef<LayoutAttr> wishes);

/// Whether the target accepts a view's layouts, both by one signature.
bool acceptsView(const LayoutProblem &problem, LayoutOpInterface op,
                 LayoutAttr read, LayoutAttr stored);

/// The layout that makes a transpose or reshape a free view of an operand
/// stored as `layout`; null with a reason where there is none, or one that only
/// a search that compares storage would look for.
LayoutAttr viewLayout(LayoutOpInterface op, LayoutAttr layout,
                      std::string &whyNot);

/// The way back: of an operand, so that the view's result, stored as `layout`,
/// is free.
LayoutAttr viewSource(LayoutOpInterface op, LayoutAttr layout,
                      std::string &whyNot);

/// The preferred one of accepted layouts for a value: the first without a block
/// over a unit dimension, which would only store padding.
LayoutAttr preferred(ArrayRef<LayoutAttr> accepted, Value value);
/// Row-major where that is accepted, else the preferred one.
LayoutAttr sourceOrPreferred(ArrayRef<LayoutAttr> accepted, Value value);

/// Whether a value may be stored so where these layouts are accepted (none:
/// any).
bool isAccepted(ArrayRef<LayoutAttr> accepted, Value value, LayoutAttr layout);

/// Whether the value is known at compile time: its relayouts cost nothing.
bool isConstant(Value value);

/// Writes a placement into the plan.
void record(LayoutPlan &plan, Operation *op, const Placement &placement);

/// All in the source's order. Where nothing meets the demands the check of the
/// finished function refuses that with the demand's name.
void recordRowMajor(LayoutPlan &plan, Operation *op);

LayoutAttr rowMajor(Value value);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_PROBLEM_PLACEMENT_H
