// SPDX-License-Identifier: Apache-2.0
//
// The other strategies on the same function: what each of them would cost.
#ifndef NPU_COMPILER_LAYOUT_STRATEGIES_COMPARISON_H
#define NPU_COMPILER_LAYOUT_STRATEGIES_COMPARISON_H

#include "compiler/Layout/Problem/Cost.h"
#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "compiler/Layout/Strategies/Strategies.h"

namespace npu {

/// One strategy on one function, from the decision to the check.
struct StrategyResult {
  StringRef name;
  bool feasible = false;
  std::string whyNot; // the error, where it is not feasible
  LayoutCost cost;    // of the finished function
  /// The finished function as a plan for the source; empty where not feasible,
  /// or where it has other ops (groups that were split).
  LayoutPlan plan;
};

/// Runs a strategy on a copy of the problem's function. Says nothing. It draws
/// on the problem's limit, or may take so many seconds of its own.
StrategyResult tryStrategy(const LayoutProblem &problem,
                           const Strategy &strategy,
                           std::optional<double> seconds = {});

/// What strategies decide that do not search themselves. A plan that breaks a
/// demand is of use all the same: its orders are candidates of a search.
std::vector<LayoutPlan> plansOf(const LayoutProblem &problem,
                                ArrayRef<Strategy> strategies);

/// All strategies, in the table's order; `decided`, if there is one, is not
/// tried again.
std::vector<StrategyResult> tryStrategies(const LayoutProblem &problem,
                                          const StrategyResult *decided);

/// Decides nothing any more: splits groups, holds the pins, applies the plan to
/// the problem's function, folds as the strategy wants it and checks demands
/// and pins. Where groups are split, the problem is no more the function's.
LogicalResult finishLayouts(const LayoutProblem &problem,
                            const Strategy &strategy, LayoutPlan &plan);

/// Errors of the calling thread's own work are kept instead of printed.
class QuietDiagnostics {
public:
  explicit QuietDiagnostics(MLIRContext *context);

  /// The first error; empty if there was none.
  const std::string &first() const { return message; }

private:
  std::string message;
  uint64_t thread;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_STRATEGIES_COMPARISON_H
