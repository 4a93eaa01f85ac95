// SPDX-License-Identifier: Apache-2.0
//
// The strategies of the layout stage: each is a decision and nothing else.
#ifndef NPU_COMPILER_LAYOUT_STRATEGIES_STRATEGIES_H
#define NPU_COMPILER_LAYOUT_STRATEGIES_STRATEGIES_H

#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/LayoutProblem.h"
#include "plugin/Plugin.h"

#include <functional>

namespace npu {

class SearchProblem;

/// One row of the table: the name is the value of --layout.
struct Strategy {
  StringRef name, summary;
  /// Fills in a plan for every value of the function. Fails, with an error at
  /// the op, only where it can decide nothing at all; a plan that breaks a
  /// demand is found when it is checked.
  std::function<LogicalResult(const LayoutProblem &problem, LayoutPlan &plan)>
      decide;
  /// Whether relayouts are cancelled, merged and moved afterwards; constants
  /// are relaid at compile time in any case.
  bool folds;
  /// Whether it chooses among the layouts that those before it name.
  bool searches = false;
};

/// npuc's own strategies, from the plainest to the best.
ArrayRef<Strategy> strategies();
/// The same with those of the context's plugins, which stand before the last.
std::vector<Strategy> strategies(MLIRContext *context);
/// Nothing if there is none of this name.
std::optional<Strategy> findStrategy(StringRef name, MLIRContext *context);
/// "none, naive, ...": for messages.
std::string strategyNames(MLIRContext *context);
/// The same of our own and these plugins'.
std::string strategyNames(ArrayRef<const plugin::Plugin *> plugins);

// The decisions, one file each.
LogicalResult decideNone(const LayoutProblem &problem, LayoutPlan &plan);
LogicalResult decideNaive(const LayoutProblem &problem, LayoutPlan &plan);
LogicalResult decideAutoNhwc(const LayoutProblem &problem, LayoutPlan &plan);
LogicalResult decideConvert(const LayoutProblem &problem, LayoutPlan &plan);
LogicalResult decidePreset(const LayoutProblem &problem, LayoutPlan &plan);
LogicalResult decideAlter(const LayoutProblem &problem, LayoutPlan &plan);
LogicalResult decideSmartMem(const LayoutProblem &problem, LayoutPlan &plan);
/// `others`: whose orders it chooses among.
LogicalResult decidePbqp(const LayoutProblem &problem,
                         ArrayRef<Strategy> others, LayoutPlan &plan);
/// `others`: whose plans it starts from, and takes where its search ends early.
LogicalResult decideOptimal(const LayoutProblem &problem,
                            ArrayRef<Strategy> others, LayoutPlan &plan);

/// Of the steps that the layout stage has, what such a decision may take:
/// optimal's search leaves it, so that where it proves nothing it can see what
/// each of them decides alone.
constexpr double numbersPart = 0.25;

/// Names a way for each op of a problem; or fails after an error.
using Choose =
    llvm::function_ref<FailureOr<std::vector<int>>(const SearchProblem &)>;
/// A decision that chooses by the numbers alone: of its choices, one for each
/// of what may stay on the chip, the cheapest. `others`: whose orders it
/// chooses among.
LogicalResult decideByNumbers(const LayoutProblem &problem,
                              ArrayRef<Strategy> others, Choose choose,
                              LayoutPlan &plan);

/// Those that a plugin brings.
std::vector<Strategy> strategiesIn(const plugin::Plugin &plugin);

/// What every decision starts with: arguments as the boundary says, constants
/// row-major; and ends with: results read as the boundary says.
void planBoundary(const LayoutProblem &problem, LayoutPlan &plan);

/// Free inputs take the layout that all their readers want, if they agree; runs
/// when the plan is complete.
void settleFreeInputs(const LayoutProblem &problem, LayoutPlan &plan);

/// A decision that goes through the ops once, in order, between the two:
/// `view` for transposes and reshapes, `place` for ops that compute.
LogicalResult
decideInOrder(const LayoutProblem &problem, LayoutPlan &plan,
              llvm::function_ref<void(LayoutOpInterface)> view,
              llvm::function_ref<LogicalResult(LayoutOpInterface)> place);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_STRATEGIES_STRATEGIES_H
