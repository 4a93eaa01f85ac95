// SPDX-License-Identifier: Apache-2.0
//
// The smallest change that would remove a relayout: changes are tried, not
// guessed.
#ifndef NPU_COMPILER_LAYOUT_EXPLAIN_LAYOUTFIX_H
#define NPU_COMPILER_LAYOUT_EXPLAIN_LAYOUTFIX_H

#include "compiler/Layout/Explain/RelayoutReport.h"
#include "compiler/Layout/LayoutStage.h"

namespace npu {

/// How much is tried.
struct FixLimits {
  /// Layout stages that are run anew; on large graphs fewer (see below).
  int64_t stages = 96;
  /// Ops that they may visit in all, so that time stays in bounds.
  int64_t opVisits = 60000;
  /// Wall time after which no other stage begins, for slow strategies.
  double seconds = 10;
};

/// Fills in the report's fixes: for each item, changes near it are made in a
/// copy of the source (a pin, another strategy, a boundary value in another
/// order, a demand that the target drops), the layouts are decided again with
/// the strategy in use, and the smallest change after which the item is gone
/// and the graph moves less is the fix. `decided` is what the report is about.
void findFixes(RelayoutReport &report, mlir::func::FuncOp source,
               mlir::func::FuncOp decided, const TargetSpec &target,
               const LayoutOptions &options, const FixLimits &limits = {});

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_EXPLAIN_LAYOUTFIX_H
