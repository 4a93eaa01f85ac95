// SPDX-License-Identifier: Apache-2.0
//
// A decision of the layout stage: who stores and reads what in which order.
#ifndef NPU_COMPILER_LAYOUT_PROBLEM_LAYOUTPLAN_H
#define NPU_COMPILER_LAYOUT_PROBLEM_LAYOUTPLAN_H

#include "compiler/Layout/Problem/LayoutPins.h"

#include <optional>
#include <string>

namespace npu {

/// How far a search came.
struct SearchOutcome {
  std::string method;
  int64_t cost = 0;       // in the objective's unit
  int64_t lowerBound = 0; // no plan among the candidates costs less
  bool proved = false;    // cost is the minimum
  /// The clock ended no part of it: the same plan every time. (Where it is
  /// proved but not settled, plans that cost the same differ.)
  bool settled = false;
  double seconds = 0; // of the search alone
  int values = 0, ops = 0;
  /// Values that have more candidate layouts than are looked at.
  int capped = 0;
  /// Among which layouts the least was looked for.
  std::string space;
  /// Where the problem asks for one and the plan is proved; empty: nothing that
  /// a certificate can say proves it.
  std::string certificate;

  /// Nothing costs less, and nothing was left out that might.
  bool isLeast() const { return cost == lowerBound && capped == 0; }
};

/// One relayout of a value, perhaps of its copy.
struct CopyStep {
  LayoutAttr from, to;
};

/// A fused kernel as two (SplitGroup.h).
struct PlannedSplit {
  const Alternative *row = nullptr;
  LayoutAttr stored, read; // of the value between
  /// Its place on the chip, and how many more such; 0 bytes: it does not stay.
  int64_t place = 0, copies = 0;
};

/// Which layout each value is stored in and each operand is read in.
struct LayoutPlan {
  /// Every argument and op result of the function's block.
  llvm::DenseMap<Value, LayoutAttr> produced;
  /// Absent: as produced (or as brought home). The function's results are the
  /// operands of its return.
  llvm::DenseMap<OpOperand *, LayoutAttr> read;
  /// Operands that are read as `read` spells it: where the value is stored
  /// alike and spelled otherwise, a relayout that moves nothing says so.
  llvm::DenseSet<OpOperand *> spelled;
  /// Results that are brought back to this layout at once, whatever their
  /// readers want; relayouts are then not shared between readers.
  llvm::DenseMap<Value, LayoutAttr> home;
  /// From which layout to which a value's copies are made; each starts from
  /// one that stands before it, or from the value. Absent: from the value.
  llvm::DenseMap<Value, SmallVector<CopyStep, 2>> copies;
  /// What the decision has to say of an op, for --explain-layout.
  llvm::DenseMap<Operation *, std::string> notes;

  /// Ops that become two kernels when the plan is applied. Its other members
  /// describe the op until then, and the two kernels afterwards.
  llvm::DenseMap<Operation *, PlannedSplit> splits;
  Algorithms algorithms;
  /// They are chosen when the layouts are final, the fastest together.
  bool choosesAlgorithms = false;

  /// Of a strategy that searches.
  std::optional<SearchOutcome> search;

  /// As which its readers see the value.
  LayoutAttr currentLayout(Value value) const;
  LayoutAttr layoutRead(OpOperand &operand) const;
};

/// Where a plan's note stands on its op: a string.
constexpr StringRef layoutNoteAttr = "npu.layout_note";

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_PROBLEM_LAYOUTPLAN_H
