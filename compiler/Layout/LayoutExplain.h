// SPDX-License-Identifier: Apache-2.0
//
// Why data is still moved after the layout stage, and the report as text.
#ifndef NPU_COMPILER_LAYOUT_LAYOUTEXPLAIN_H
#define NPU_COMPILER_LAYOUT_LAYOUTEXPLAIN_H

#include "compiler/Layout/LayoutReport.h"

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

/// "Conv 'c1'", or the op's own name where the model has none.
std::string opName(Operation *op);

/// The same with the kind of op: "Conv 'c1' (conv2d)".
std::string opText(Operation *op);

/// The return's operand that is the op's result; null if it is none.
OpOperand *returnedBy(Operation *op);

/// "2304 bytes", "2.4 MB".
std::string bytesText(int64_t bytes);

/// "smallest change: ...: saves 1 relayout, 2.4 MB".
std::string fixText(const LayoutFix &fix);

/// --explain-layout: relayouts of one cause stand together.
std::string explainText(const LayoutReport &report);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_LAYOUTEXPLAIN_H
