// SPDX-License-Identifier: Apache-2.0
//
// A fused kernel as two: another way of its op, in which the order may change
// between the two. The rows of a table as other algorithms are, named after the
// op of the body behind which it is cut.
#ifndef NPU_COMPILER_LAYOUT_PROBLEM_SPLITGROUP_H
#define NPU_COMPILER_LAYOUT_PROBLEM_SPLITGROUP_H

#include "compiler/Dialect/NPU/FusedKernel.h"
#include "compiler/Layout/Problem/Alternatives.h"
#include "compiler/Layout/Problem/Cost.h"
#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/OpSlots.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace npu {

/// "split1", ...: behind the first op of the body, ...
ArrayRef<Alternative> splits();

/// Where the op may be split on the target: both parts are kernels of it, the
/// rest reads something as large as its result that is no constant (without
/// that no order changes for the better), and of the values between two such
/// operands it is one of the fewest bytes.
SmallVector<const Alternative *> splitsFor(Operation *op,
                                           const TargetSpec &target);

/// The row by which an op of a finished function is the second kernel of a
/// split one; null: it is none.
const Alternative *splitOf(Operation *op);

/// The layouts of both kernels: one for each operand, then the result.
struct SplitLayouts {
  OpLayouts first, rest;
  /// Of the value between: as the first stores it and the second reads it.
  LayoutAttr stored, read;
};

/// An op's two kernels in a function of their own, priced in place of it.
class SplitKernels {
public:
  SplitKernels(const LayoutProblem &around, FusedOp op, const Alternative &row);

  /// The op's slots as its kernels have them: the value between is known as the
  /// op's result, whose shape it has.
  std::pair<OpSlots, OpSlots> slotsFor(const LayoutProblem &around,
                                       FusedOp op) const;
  const TwoKernels &kernels() const { return two; }
  const Alternative &row() const { return *alternative; }

  /// What both kernels and the relayout between them cost in place of the op.
  /// What stays on the chip around it does around them; the value between them
  /// stays where that is cheaper, and there is memory for it above the rest.
  PricedAlgorithm price(const ResidentProblem &around, Operation *op,
                        const SplitLayouts &layouts) const;

  /// The place on the chip of the value between; nothing: it does not stay.
  std::optional<OnChipSlot> placeBetween(const ResidentProblem &around,
                                         Operation *op,
                                         const SplitLayouts &layouts) const;

  /// Bytes of on-chip memory that the tiles of either take, at most, and the
  /// value between.
  int64_t tileBytes(const ResidentProblem &around, Operation *op,
                    const SplitLayouts &layouts) const;

private:
  struct Choice {
    PricedAlgorithm price;
    std::optional<OnChipSlot> between; // that stays
  };
  Choice choose(const ResidentProblem &around, Operation *op,
                const SplitLayouts &layouts) const;
  PricedAlgorithm priceWith(const OnChipValues &inside,
                            const SplitLayouts &layouts) const;
  OnChipSlot slotBetween(const SplitLayouts &layouts) const;
  OnChipValues onChipIn(const ResidentProblem &around, Operation *op,
                        const OnChipSlot *between) const;
  OpLayouts counted(LayoutOpInterface kernel, const OpLayouts &whole) const;

  const Alternative *alternative;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  SmallVector<Value> operands; // what each of the op's is in the function
  TwoKernels two;
  std::unique_ptr<ImageAxesAnalysis> axes;
  std::unique_ptr<LayoutProblem> problem;
  std::shared_ptr<const LiveRanges> ranges;
  std::vector<OpSlots> slots; // of both kernels
};

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_PROBLEM_SPLITGROUP_H
