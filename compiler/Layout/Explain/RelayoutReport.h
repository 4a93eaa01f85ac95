// SPDX-License-Identifier: Apache-2.0
//
// What is left to move after the layout stage, and who wants it so.
#ifndef NPU_COMPILER_LAYOUT_EXPLAIN_RELAYOUTREPORT_H
#define NPU_COMPILER_LAYOUT_EXPLAIN_RELAYOUTREPORT_H

#include "compiler/Layout/Problem/Cost.h"

namespace npu {

/// Why data is moved.
struct RelayoutCause {
  /// "demand", "pin" (of an op), "boundary", "view", "order" or "plan".
  std::string kind;
  std::string name;    // the op's node, or the model's input or output
  std::string operand; // the op's operand or "result"; empty at the boundary
  std::string rule;    // what refused the order that was there
  std::string reason;  // all of it as a sentence
};

/// A change to the plan, the boundary or the target, and what it saves in the
/// whole graph: the layouts were decided again with it.
struct LayoutFix {
  std::string change;
  int64_t savesCount = 0, savesBytes = 0;
};

/// One npu.relayout, or one of the model's own transposes and reshapes that
/// move data. Free views and constants do not appear.
struct RelayoutItem {
  std::string kind;      // "relayout", "transpose" or "reshape"
  std::string value;     // the model's name of the value that is moved
  std::string from, to;  // "NHWC" where the image axes are known, else letters
  int64_t bytes = 0;     // stored bytes of the result
  double cost = 0;       // cycles on the target
  double floor = 0;      // what reading and writing it once takes at the least
  bool boundary = false; // at a graph input or output
  RelayoutCause cause;
  std::string node; // the model's node at which it stands
  /// Whether changes were tried (`findFixes`); the smallest one that removes
  /// it, if any does.
  bool fixSearched = false;
  std::optional<LayoutFix> fix;
};

/// A group of ops that is two kernels, because an order changes between them.
struct SplitItem {
  std::string op, before; // the nodes of the two
  std::string from, to;   // the order of the value between
  std::string algorithm;  // what a layout plan calls it: "split1"
};

struct RelayoutReport {
  std::vector<RelayoutItem> items;
  /// Ops that another algorithm computes: the node, and which.
  std::vector<std::pair<std::string, std::string>> algorithms;
  std::vector<SplitItem> splits;
  /// What the strategy has to say of single ops: where a conversion stops.
  std::vector<std::string> notes;
  LayoutCost cost; // of the whole function
  /// Items whose fix was not searched for because of the limit.
  int64_t untriedFixes = 0;
  std::string whyUntried;

  int64_t count() const { return items.size(); }
  int64_t boundaryCount() const;
  int64_t bytes() const;
};

struct PlanFile;

/// `least`: what the function costs (`costOf`). `plan` names the pins, if there
/// are any.
RelayoutReport reportLayouts(const LayoutProblem &problem,
                             const FunctionCost &least,
                             const PlanFile *plan = nullptr);

/// `objective`: what was made small.
RelayoutReport reportLayouts(mlir::func::FuncOp function,
                             const TargetSpec &target,
                             const PlanFile *plan = nullptr,
                             Objective objective = Objective::Time);

/// Whether the op is an item of the report.
bool movesData(Operation &op);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_EXPLAIN_RELAYOUTREPORT_H
