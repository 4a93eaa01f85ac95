// SPDX-License-Identifier: Apache-2.0
//
// Other algorithms for an op: an op (or a set of ops) that computes the same
// from the same operands, its outside layouts unchanged. A row of a table each.
#ifndef NPU_COMPILER_LAYOUT_PROBLEM_ALTERNATIVES_H
#define NPU_COMPILER_LAYOUT_PROBLEM_ALTERNATIVES_H

#include "compiler/Dialect/NPU/Work.h"
#include "compiler/Target/TargetSpec.h"

namespace npu {

struct Alternative {
  /// In plans and reports: "winograd4x4".
  StringRef name, summary;
  /// In a target's `algorithms:` list, which has all of its rows: "winograd".
  StringRef family;
  /// The replacement as targets' demands and costs know it.
  StringRef demandName;
  /// Why the op (a kernel by itself or a fused one) cannot be replaced,
  /// whatever its layouts: one clause; null where it can.
  const char *(*whyNot)(Operation *op);
  /// Whether it can with its operands and result stored in these layouts (one
  /// for each operand, then the result).
  bool (*fits)(Operation *op, ArrayRef<LayoutAttr> layouts);
  /// Work of the replacement, without what else is fused into the op.
  Work (*work)(Operation *op);
  /// Bytes of the constant that it reads in place of operand 1.
  int64_t (*weightBytes)(Operation *op);
  /// Replaces the op, weights transformed by ops on constants that fold away.
  /// Returns the op that now gives the result, or null with an error at the op;
  /// operands keep their order, those that are constants may be others (one
  /// that nobody reads any more stays). Works before and after layouts are set.
  Operation *(*replace)(mlir::OpBuilder &builder, Operation *op);
  /// Whether an op, a kernel by itself or a fused one, is such a replacement.
  bool (*isReplacement)(Operation *op);

  bool applies(Operation *op) const { return !whyNot(op); }
};

/// All that npuc knows.
ArrayRef<Alternative> alternatives();
/// By name; null: none is called so.
const Alternative *findAlternative(StringRef name);
/// The row by which an op was made; null: it is no replacement.
const Alternative *replacementOf(Operation *op);
/// Those that the target's file lists under `algorithms:` and that apply.
SmallVector<const Alternative *> alternativesFor(Operation *op,
                                                 const TargetSpec &target);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_PROBLEM_ALTERNATIVES_H
