// SPDX-License-Identifier: Apache-2.0
//
// Other algorithms for an op: an op, or a set of ops, that computes the same
// from the same operands, its outside layouts unchanged. A row of a table each;
// plugins bring others, all of them sets (Replacement.h). Of attention, which
// the model spelled out, the other algorithm is what it spelled.
#ifndef NPU_COMPILER_LAYOUT_PROBLEM_ALTERNATIVES_H
#define NPU_COMPILER_LAYOUT_PROBLEM_ALTERNATIVES_H

#include "compiler/Dialect/NPU/Work.h"
#include "compiler/Target/TargetSpec.h"
#include "npuc/plugin.h"

#include <functional>
#include <string>

namespace npu {

struct Alternative {
  /// In plans and reports: "winograd4x4".
  StringRef name, summary;
  /// In a target's `algorithms:` list, which has all of its rows: "winograd".
  StringRef family;
  /// The replacement as targets' demands and costs know it; of a set empty.
  StringRef demandName;
  /// Why the op (a kernel by itself or a fused one) cannot be replaced,
  /// whatever its layouts: one clause; empty where it can.
  std::function<std::string(Operation *op)> whyNot;
  /// Whether it can with its operands and result stored in these layouts (one
  /// for each operand, then the result).
  std::function<bool(Operation *op, ArrayRef<LayoutAttr> layouts)> fits;
  // Of a set, what follows is not here: Replacement.h has it.
  /// Work of the replacement, without what else is fused into the op.
  Work (*work)(Operation *op) = nullptr;
  /// Bytes of the constant that it reads in place of operand 1.
  int64_t (*weightBytes)(Operation *op) = nullptr;
  /// Replaces the op, weights transformed by ops on constants that fold away.
  /// Returns the op that now gives the result, or null with an error at the op;
  /// operands keep their order, those that are constants may be others (one
  /// that nobody reads any more stays). Works before and after layouts are set.
  Operation *(*replace)(mlir::OpBuilder &builder, Operation *op) = nullptr;
  /// Whether an op, a kernel by itself or a fused one, is such a replacement.
  bool (*isReplacement)(Operation *op) = nullptr;
  /// Of a set: who brings it; or, of our own, its ops as a plugin writes them.
  const plugin::Plugin *plugin = nullptr;
  const npuc_alternative *set = nullptr;
  std::string (*parts)(Operation *op) = nullptr;

  /// Of a split (SplitGroup.h): behind which op of the body, from 1; else 0.
  unsigned cut = 0;

  bool isSet() const { return set || parts; }
  /// Who brings it, its name, and what is wrong.
  std::string blame(const Twine &what) const;
  bool applies(Operation *op) const { return whyNot(op).empty(); }
};

/// On an op of a finished function that gives the result of a set: the set's
/// name and, as `reads`, the layouts in which the op that it replaces read its
/// operands.
constexpr StringRef replacementAttr = "npu.replacement";

/// All that npuc knows itself.
ArrayRef<Alternative> alternatives();
/// The product, softmax and product that npu.attention is.
Alternative attentionParts();
/// By name, npuc's own or of one of the context's plugins; null: none is called
/// so.
const Alternative *findAlternative(StringRef name,
                                   MLIRContext *context = nullptr);
/// The row by which an op was made; null: it is no replacement.
const Alternative *replacementOf(Operation *op);
/// Those that the target's file lists under `algorithms:` and that apply.
SmallVector<const Alternative *> alternativesFor(Operation *op,
                                                 const TargetSpec &target);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_PROBLEM_ALTERNATIVES_H
