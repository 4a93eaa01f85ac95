// SPDX-License-Identifier: Apache-2.0
//
// Why data is still moved after the layout stage, and the report as text.
#ifndef NPU_COMPILER_LAYOUT_EXPLAIN_LAYOUTEXPLAIN_H
#define NPU_COMPILER_LAYOUT_EXPLAIN_LAYOUTEXPLAIN_H

#include "compiler/Layout/Explain/RelayoutReport.h"
#include "compiler/Layout/Problem/LayoutProblem.h"

namespace npu {

/// Finds what forces each relayout of a function behind the stage.
class CauseFinder {
public:
  /// `plan` may be null.
  CauseFinder(mlir::func::FuncOp function, const TargetSpec &target,
              const ImageAxesAnalysis &axes, const PlanFile *plan);

  /// The cause of an op that moves data.
  RelayoutCause of(Operation *op) const;

private:
  using MaybeCause = std::optional<RelayoutCause>;

  RelayoutCause ofOutput(Operation *relayout, OpOperand &output) const;
  MaybeCause demandOf(OpOperand &use) const;
  MaybeCause producerDemand(Value value) const;
  LayoutProblem::OneOf signatureOf(LayoutOpInterface op) const;
  MaybeCause viewRefusal(OpOperand &use, LayoutAttr offered) const;
  MaybeCause beyond(OpOperand &use, LayoutAttr offered) const;
  MaybeCause orderOf(OpOperand &use) const;
  std::string nameOf(Value value) const;

  mlir::func::FuncOp function;
  const TargetSpec &target;
  const ImageAxesAnalysis &axes;
  /// Holds the pins, if the plan still fits.
  LayoutProblem problem;
};

/// "smallest change: ...: saves 1 relayout, 2.4 MB".
std::string fixText(const LayoutFix &fix);

/// --explain-layout: relayouts of one cause stand together.
std::string explainText(const RelayoutReport &report);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_EXPLAIN_LAYOUTEXPLAIN_H
