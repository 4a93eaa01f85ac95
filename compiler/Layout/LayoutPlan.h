// SPDX-License-Identifier: Apache-2.0
//
// A decision of the layout stage, and what is shared by all that decide:
// applying it and checking it.
#ifndef NPU_COMPILER_LAYOUT_LAYOUTPLAN_H
#define NPU_COMPILER_LAYOUT_LAYOUTPLAN_H

#include "compiler/Layout/DecisionOptions.h"
#include "compiler/Layout/ImageAxes.h"
#include "compiler/Layout/Objective.h"
#include "compiler/Layout/OnChip.h"
#include "compiler/Target/TargetSpec.h"

#include <map>
#include <memory>

namespace npu {

/// How graph inputs and outputs are stored.
struct IoLayouts {
  /// Row-major in the model's shapes (true) or as the plan likes.
  bool fixed = true;
  /// By input's or output's name: a layout's name or letters, or one of the two
  /// words. Goes before `fixed`.
  std::map<std::string, std::string> byName;

  /// Reads "fixed", "free", "NAME=NHWC", "NAME=free", or several, separated by
  /// commas.
  static std::optional<IoLayouts> parse(StringRef text, std::string &error);
};

/// Of a tensor: how many bytes the DMA takes in one transfer, and up to how
/// many it gathers for that.
struct TransferRow {
  double bytes = 0, gathered = 0;
};

struct Alternative;
/// Ops that are computed by another algorithm.
using Algorithms = llvm::DenseMap<Operation *, const Alternative *>;

/// What a layout plan's file holds fast (--layout-plan). Keyed by the source's
/// ops, which stay the same through the whole stage. Boundary values have no
/// entry: their pins are the problem's `inputs` and `outputs`.
struct LayoutPins {
  /// The layout that an op's result is stored in.
  llvm::DenseMap<Value, LayoutAttr> values;
  /// The layout that an op reads an operand in.
  llvm::DenseMap<OpOperand *, LayoutAttr> reads;
  /// The algorithm that computes an op; null: its own.
  Algorithms algorithms;

  bool empty() const {
    return values.empty() && reads.empty() && algorithms.empty();
  }
  bool touches(Operation *op) const;
  /// The same pins on a function's copy.
  LayoutPins carriedTo(mlir::func::FuncOp source,
                       mlir::func::FuncOp copy) const;
};

/// What a strategy decides about.
struct LayoutProblem {
  LayoutProblem(mlir::func::FuncOp function, const TargetSpec &target,
                const ImageAxesAnalysis &axes)
      : function(function), target(target), axes(axes) {}

  mlir::func::FuncOp function;
  const TargetSpec &target;
  const ImageAxesAnalysis &axes;
  /// What the user told the strategy.
  DecisionOptions decision;
  /// The layout that each boundary value is held to; null: free.
  llvm::DenseMap<Value, LayoutAttr> inputs;
  SmallVector<LayoutAttr> outputs;
  /// To a strategy a pin is one more demand: `accepted` answers with it.
  LayoutPins pins;
  /// What a strategy that searches makes small, and how long it may take.
  Objective objective = Objective::Time;
  double searchSeconds = 10;

  MLIRContext *getContext() const { return function->getContext(); }
  /// The orders that the plan may have for this operand (or result): the pinned
  /// one, or those that the chip accepts, preferred first; empty: any.
  SmallVector<LayoutAttr> accepted(OpOperand &operand) const;
  SmallVector<LayoutAttr> accepted(OpResult result) const;
  /// The same without pins.
  SmallVector<LayoutAttr> demanded(OpOperand &operand) const;
  SmallVector<LayoutAttr> demanded(OpResult result) const;
  /// What the chip multiplies the op's time by if its result has this layout.
  /// `name`: the op as demands call it; empty: its own name.
  double costFactor(LayoutOpInterface op, LayoutAttr result,
                    StringRef name = {}) const;
  /// What the target's `runs` say of a value with these axes in this layout
  /// whose rows have `row` bytes; nothing: rows are no matter.
  std::optional<TransferRow> transferRow(RankedTensorType type,
                                         const ImageAxes &axes,
                                         LayoutAttr layout, double row) const;

  /// What may stay on the chip, at least one; most bytes first, nothing last.
  /// Found out at the first question: most users of a problem ask none.
  ArrayRef<OnChipValues> residencies() const;
  /// The one that costs are asked for.
  const OnChipValues &onChip() const;
  void keepOnChip(const OnChipValues &values) const { kept = &values; }

private:
  mutable std::shared_ptr<std::vector<OnChipValues>> known;
  mutable const OnChipValues *kept = nullptr;
};

/// Notes on the function what --io-layout tells of its inputs and outputs: one
/// that is given an image layout (NHWC), and of whose axes no op knows, is an
/// image with its dimensions in the natural order (NCHW).
void tellBoundaryAxes(mlir::func::FuncOp function, const IoLayouts &io);

/// Binds --io-layout to the function's arguments and results. Fails, with an
/// error at the function, on names and layouts that do not fit it.
LogicalResult bindBoundary(LayoutProblem &problem, const IoLayouts &io);

/// How far a search came.
struct SearchOutcome {
  std::string method;
  int64_t cost = 0;       // in the objective's unit
  int64_t lowerBound = 0; // no plan among the candidates costs less
  bool proved = false;    // cost is the minimum
  double seconds = 0;     // of the search alone
  int values = 0, ops = 0;
  /// Values that have more candidate layouts than are looked at.
  int capped = 0;
};

/// One relayout of a value, perhaps of its copy.
struct CopyStep {
  LayoutAttr from, to;
};

/// Which layout each value is stored in and each operand is read in.
struct LayoutPlan {
  /// Every argument and op result of the function's block.
  llvm::DenseMap<Value, LayoutAttr> produced;
  /// Absent: as produced (or as brought home). The function's results are the
  /// operands of its return.
  llvm::DenseMap<OpOperand *, LayoutAttr> read;
  /// Results that are brought back to this layout at once, whatever their
  /// readers want; relayouts are then not shared between readers.
  llvm::DenseMap<Value, LayoutAttr> home;
  /// From which layout to which a value's copies are made; each starts from
  /// one that stands before it, or from the value. Absent: from the value.
  llvm::DenseMap<Value, SmallVector<CopyStep, 2>> copies;
  /// What the decision has to say of an op, for --explain-layout.
  llvm::DenseMap<Operation *, std::string> notes;

  Algorithms algorithms;

  /// Of a strategy that searches.
  std::optional<SearchOutcome> search;

  LayoutAttr layoutRead(OpOperand &operand) const;
};

/// Sets the types of all values, inside fused kernels and in the signature too,
/// and inserts npu.relayout where a reader wants another order than is there:
/// one for each value and layout, before its first reader, and before it those
/// copies that the plan makes it from.
void applyPlan(mlir::func::FuncOp function, const LayoutPlan &plan);

/// Holds pinned algorithms and drops those that do not fit the ops' final
/// layouts. Fails with an error at an op whose pinned one does not.
LogicalResult settleAlgorithms(const LayoutProblem &problem, LayoutPlan &plan);

/// Replaces ops by the plan's settled algorithms; the last thing that is done
/// to a function.
LogicalResult applyAlgorithms(mlir::func::FuncOp function,
                              const LayoutPlan &plan);

/// Where a plan's note stands on its op: a string.
constexpr StringRef layoutNoteAttr = "npu.layout_note";

/// Whether every tensor has a layout, every demand of the target is met, and no
/// foreign op sees a laid-out tensor. Fails with errors at the ops.
LogicalResult checkLayouts(mlir::func::FuncOp function,
                           const TargetSpec &target);

/// "NHWC (acdb) or NCHW16c (aBcd16b)": for messages.
std::string layoutNames(ArrayRef<LayoutAttr> layouts, const ImageAxes &axes);

/// The model's node that an op comes from: "Conv 'c1'"; empty if not known.
std::string nodeName(Location location);

/// The model's name of an input or output; "input 0" if it has none.
std::string boundaryName(mlir::func::FuncOp function, unsigned index,
                         bool output);

int64_t bytesOfElement(RankedTensorType type);

/// Stored bytes of a value, block padding included. Without a layout:
/// row-major.
int64_t storedBytes(RankedTensorType type);
int64_t storedBytes(RankedTensorType type, LayoutAttr layout);
int64_t storedBytes(Value value);

/// Whether both layouts put the value's elements in the same places; false
/// where one of them is null.
bool sameStorage(Value value, LayoutAttr a, LayoutAttr b);

/// Whether the value's own layout puts them there.
bool isStoredAs(Value value, LayoutAttr layout);

/// The type of a fused kernel's operand follows outside; sets it inside too.
void retypeOperand(OpOperand &operand);
/// Sets the layout of the op's only result. Inside a fused kernel the root's
/// result and every elementwise result are stored as the kernel's.
void retypeResult(Operation *op, LayoutAttr layout);
/// The function's type from its arguments and its return.
void updateSignature(mlir::func::FuncOp function);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_LAYOUTPLAN_H
