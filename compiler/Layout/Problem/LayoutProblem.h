// SPDX-License-Identifier: Apache-2.0
//
// What a strategy decides about: a function, a target, and what is held.
#ifndef NPU_COMPILER_LAYOUT_PROBLEM_LAYOUTPROBLEM_H
#define NPU_COMPILER_LAYOUT_PROBLEM_LAYOUTPROBLEM_H

#include "compiler/Layout/Problem/DecisionOptions.h"
#include "compiler/Layout/Problem/DimensionCuts.h"
#include "compiler/Layout/Problem/ImageAxes.h"
#include "compiler/Layout/Problem/LayoutPins.h"
#include "compiler/Layout/Problem/Objective.h"
#include "compiler/Layout/Problem/OnChip.h"
#include "compiler/Search/Deadline.h"
#include "compiler/Target/TargetSpec.h"

#include <memory>

namespace npu {

/// Of a tensor: how many bytes the DMA takes in one transfer, and up to how
/// many it gathers for that.
struct TransferRow {
  double bytes = 0, gathered = 0;
};

struct LayoutMemo;

/// What a strategy decides about.
struct LayoutProblem {
  LayoutProblem(mlir::func::FuncOp function, const TargetSpec &target,
                const ImageAxesAnalysis &axes);
  ~LayoutProblem();

  mlir::func::FuncOp function;
  const TargetSpec &target;
  const ImageAxesAnalysis &axes;
  /// What the user told the strategy.
  DecisionOptions decision;
  /// The layout that each boundary value is held to; null: free.
  llvm::DenseMap<Value, LayoutAttr> inputs;
  SmallVector<LayoutAttr> outputs;
  /// Of a state that is free on both sides: what it holds before a run, and
  /// what is returned. Both are stored alike.
  SmallVector<std::pair<BlockArgument, OpOperand *>, 0> freeStates() const;
  /// To a strategy a pin is one more demand: `accepted` answers with it.
  LayoutPins pins;
  /// What a strategy that searches minimizes.
  Objective objective = Objective::Time;
  /// How long that may take, and until when all that is done for it may.
  double searchSeconds = 10;
  search::Deadline limit{searchSeconds};
  void limitTo(double seconds) {
    searchSeconds = seconds;
    limit = search::Deadline(seconds);
  }
  /// What a certificate calls the model; empty: none is asked for.
  std::string certifiedModel;

  MLIRContext *getContext() const { return function->getContext(); }
  /// One of the signatures that the target has for an op; none: any of them.
  using OneOf = std::optional<unsigned>;
  /// Those that may take the op, pins held: its ranks and axes are theirs. At
  /// least one, also of an op without demands.
  SmallVector<unsigned> signatures(LayoutOpInterface op) const;
  /// The same, whatever is pinned.
  SmallVector<unsigned> fittingOf(LayoutOpInterface op) const;
  /// The orders that the plan may have for this operand (or result): the pinned
  /// one, or those that the chip accepts, preferred first; empty: any.
  SmallVector<LayoutAttr> accepted(OpOperand &operand,
                                   OneOf signature = {}) const;
  SmallVector<LayoutAttr> accepted(OpResult result, OneOf signature = {}) const;
  /// The same without pins.
  SmallVector<LayoutAttr> demanded(OpOperand &operand,
                                   OneOf signature = {}) const;
  SmallVector<LayoutAttr> demanded(OpResult result, OneOf signature = {}) const;
  /// Which operands take any layout whatever the others have, as the op's
  /// relation says.
  SmallVector<bool, 4> independentOperands(LayoutOpInterface op) const;
  /// Whether the op may have its operand in one layout and its result in the
  /// other, whatever is demanded of each by itself.
  bool goTogether(OpOperand &operand, LayoutAttr layout,
                  const LayoutRelation &relation, LayoutAttr result,
                  OneOf signature) const;
  /// The cheapest of an op's signatures that takes these layouts whole; nothing
  /// where none does. A layout that is null may be any: it is taken by a
  /// signature that says nothing of it.
  OneOf signatureOf(LayoutOpInterface op, ArrayRef<LayoutAttr> layouts) const;
  /// Whether the chip's kernels can be asked for a layout of a value: they take
  /// the target's blocks, and those of the boundary, and where some of them
  /// take dimensions in pieces, the others take the value's pieces in any
  /// order. A view may show others.
  bool knowsBlocks(LayoutAttr layout, Value value) const;
  /// Whether they take one block of so many elements.
  bool knowsBlock(int64_t size) const;
  /// What the chip multiplies the op's time by in these layouts: of the
  /// cheapest signature that takes them. `name`: of the op that computes it in
  /// its place, as demands call it; its weight is another then.
  double costFactor(LayoutOpInterface op, ArrayRef<LayoutAttr> layouts,
                    StringRef name = {}) const;
  /// What the target's `runs` say of a value in this layout, whose rows have
  /// `row` bytes, as one of this type; nothing: rows are no matter.
  std::optional<TransferRow> transferRow(Value value, RankedTensorType type,
                                         LayoutAttr layout, double row) const;

  /// What may stay on the chip, at least one (Residencies.h).
  /// Found out at the first question: most users of a problem ask none.
  ArrayRef<OnChipValues> residencies() const;
  /// The first of them, without the others.
  const OnChipValues &mostResident() const;

  /// Where answers about the op are kept for those that are alike; null where
  /// it is like no other: a pin is its own, and relayouts come and go.
  LayoutMemo *memoFor(Operation *op) const;

private:
  /// What is known of the dimensions of what an op reads or gives.
  KnownDims dimsOf(OpOperand &operand) const;
  KnownDims dimsOf(OpResult result) const;
  KnownDims dimsOf(LayoutOpInterface op, unsigned slot) const;
  SmallVector<unsigned> fitting(ArrayRef<Signature> all,
                                LayoutOpInterface op) const;
  SmallVector<LayoutAttr>
  remembered(Operation *op, unsigned slot, OneOf signature,
             llvm::function_ref<SmallVector<LayoutAttr>()> find) const;
  bool takes(const Signature &signature, LayoutOpInterface op,
             ArrayRef<LayoutAttr> layouts, bool countsWeights) const;
  double costOf(const Signature &signature, LayoutOpInterface op,
                LayoutAttr result) const;
  std::pair<OneOf, double> cheapest(StringRef name, LayoutOpInterface op,
                                    ArrayRef<LayoutAttr> layouts,
                                    bool countsWeights) const;

  ArrayRef<int64_t> blocks() const;

  mutable std::optional<SmallVector<int64_t>> knownBlocks;
  mutable std::shared_ptr<std::vector<OnChipValues>> known, first;
  /// Null where the target lists no layouts in pieces.
  std::unique_ptr<const DimensionCuts> cuts;
  std::unique_ptr<LayoutMemo> memo;
};

/// A problem with one choice of what stays on the chip: costs depend on both.
/// Refers to them.
class ResidentProblem {
public:
  ResidentProblem(const LayoutProblem &problem, const OnChipValues &onChip)
      : problem(&problem), values(&onChip) {}
  /// With as much on the chip as may stay there.
  static ResidentProblem withMost(const LayoutProblem &problem) {
    return {problem, problem.mostResident()};
  }

  const OnChipValues &onChip() const { return *values; }
  const LayoutProblem &operator*() const { return *problem; }
  const LayoutProblem *operator->() const { return problem; }

private:
  const LayoutProblem *problem;
  const OnChipValues *values;
};

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_PROBLEM_LAYOUTPROBLEM_H
