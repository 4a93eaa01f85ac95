// SPDX-License-Identifier: Apache-2.0
//
// --io-layout: how graph inputs and outputs are stored.
#ifndef NPU_COMPILER_LAYOUT_PROBLEM_BOUNDARY_H
#define NPU_COMPILER_LAYOUT_PROBLEM_BOUNDARY_H

#include "compiler/Layout/Problem/LayoutProblem.h"

#include <map>

namespace npu {

/// How graph inputs and outputs are stored.
struct IoLayouts {
  /// Row-major in the model's shapes (true) or as the plan likes.
  bool fixed = true;
  /// By input's or output's name: a layout's name or letters, or one of the two
  /// words. Goes before `fixed`.
  std::map<std::string, std::string> byName;

  /// Reads "fixed", "free", "NAME=NHWC", "NAME=free", or several, separated by
  /// commas.
  static std::optional<IoLayouts> parse(StringRef text, std::string &error);
};

/// What --io-layout asks of a function before its layouts are decided. Notes
/// what it tells of inputs and outputs: one that is given an image layout
/// (NHWC), and of whose axes no op knows, is an image with its dimensions in
/// the natural order (NCHW). Puts a copy ahead of each output that would else
/// show memory of an input, of a constant or of another output, so that the
/// copy has its price. Fails as bindBoundary() does; done twice, it changes
/// nothing.
LogicalResult readyBoundary(mlir::func::FuncOp function,
                            const TargetSpec &target, const IoLayouts &io);

/// Binds --io-layout to the function's arguments and results. Fails, with an
/// error at the function, on names and layouts that do not fit it.
LogicalResult bindBoundary(LayoutProblem &problem, const IoLayouts &io);

/// What one side of a state is held to the other is, too. Fails, with an error
/// at the function, where they are held to different layouts.
LogicalResult bindStates(LayoutProblem &problem);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_PROBLEM_BOUNDARY_H
