// SPDX-License-Identifier: Apache-2.0
//
// The layout stage as one call: decide, apply, fold, check.
#ifndef NPU_COMPILER_LAYOUT_LAYOUTSTAGE_H
#define NPU_COMPILER_LAYOUT_LAYOUTSTAGE_H

#include "compiler/Layout/PlanFile/PlanFile.h"
#include "compiler/Layout/Problem/Boundary.h"
#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Strategies/Comparison.h"

#include <memory>

namespace npu {

struct LayoutOptions {
  std::string strategy = "optimal";
  IoLayouts io;
  /// --layout-plan: its pins are held.
  std::shared_ptr<const PlanFile> plan;
  Objective objective = Objective::Time;
  /// How long a strategy that searches may take.
  double searchSeconds = 10;
  /// What the certificate of a search calls the model; empty: none is wanted.
  std::string certifiedModel;
  /// Compare the source with the result on index-tagged values.
  bool verifyExactly = false;
  /// Replace ops by the algorithms that were chosen for them: transforming
  /// weights takes time, and who only asks for layouts does not need it.
  bool replaceOps = true;
  DecisionOptions decision;
};

/// Gives every tensor of the function its layout. Fails, with an error at the
/// op, if the strategy is unknown or its plan breaks a demand of the target.
/// `outcome`: how far a search came; empty after a strategy that does not.
LogicalResult runLayoutStage(mlir::func::FuncOp function,
                             const TargetSpec &target,
                             const LayoutOptions &options,
                             std::optional<SearchOutcome> *outcome = nullptr);

/// What every strategy would cost on a function that is not laid out yet;
/// `decided`: what is known of one of them.
FailureOr<std::vector<StrategyResult>>
compareStrategies(mlir::func::FuncOp function, const TargetSpec &target,
                  const LayoutOptions &options,
                  const StrategyResult *decided = nullptr);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_LAYOUTSTAGE_H
