// SPDX-License-Identifier: Apache-2.0
//
// What is left to move after the layout stage, and who wants it so.
#ifndef NPU_COMPILER_LAYOUT_LAYOUTREPORT_H
#define NPU_COMPILER_LAYOUT_LAYOUTREPORT_H

#include "compiler/Layout/Cost.h"

namespace npu {

/// One npu.relayout, or one of the model's own transposes and reshapes that
/// move data. Free views and constants do not appear.
struct RelayoutItem {
  std::string kind;      // "relayout", "transpose" or "reshape"
  std::string value;     // the model's name of the value that is moved
  std::string from, to;  // "NHWC" where the image axes are known, else letters
  int64_t bytes = 0;     // stored bytes of the result
  double cost = 0;       // cycles on the target
  bool boundary = false; // at a graph input or output
  std::string reason;    // one sentence: which op or boundary demands it
  std::string node;      // the model's node at which it stands
  std::string fusedInto; // empty: a kernel of its own
};

struct LayoutReport {
  std::vector<RelayoutItem> items;
  /// What the strategy has to say of single ops: where a conversion stops.
  std::vector<std::string> notes;
  LayoutCost cost; // of the whole function

  int64_t count() const { return items.size(); }
  int64_t boundaryCount() const;
  int64_t bytes() const;
};

LayoutReport reportLayouts(mlir::func::FuncOp function,
                           const TargetSpec &target);

/// --explain-layout.
std::string explainText(const LayoutReport &report);

/// The model's node that an op comes from: "Conv 'c1'"; empty if not known.
std::string nodeName(Location location);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_LAYOUTREPORT_H
