// SPDX-License-Identifier: Apache-2.0
//
// Rules of users: per op and target a function that says which layouts to use.
// Asked by `convert` and `alter`. Whoever calls the compiler may bring one
// (DecisionOptions), code that is linked or is a pass plugin registers its own,
// other plugins bring theirs in C (npuc/plugin.h).
#ifndef NPU_COMPILER_LAYOUT_STRATEGIES_CUSTOMRULES_H
#define NPU_COMPILER_LAYOUT_STRATEGIES_CUSTOMRULES_H

#include "compiler/Layout/Problem/LayoutProblem.h"

namespace npu {

struct LayoutRule {
  std::string strategy; // "convert" or "alter"
  std::string op;       // as in a target's demands: "conv2d"
  std::string target;   // empty: every target
  /// One layout for each of the op's `desirableRoles`, "default" for a weight;
  /// none: no opinion on this op.
  SmallVector<std::string> (*layouts)(Operation *op, const TargetSpec &target);
};

/// Adds a rule; the last one that is added is asked first. Not from several
/// threads at once: registration belongs into a plugin's entry point.
void registerLayoutRule(LayoutRule rule);
/// Takes all rules away again.
void clearLayoutRules();

/// What the rules say of an op: the caller's, then registered ones, then those
/// of the context's plugins. Fails, with an error at the op, where a rule's
/// answer makes no sense; empty where no rule has an opinion.
FailureOr<std::vector<DesiredLayouts::Wish>>
askLayoutRules(StringRef strategy, LayoutOpInterface op,
               const LayoutProblem &problem);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_STRATEGIES_CUSTOMRULES_H
