// SPDX-License-Identifier: Apache-2.0
//
// What messages and reports call values, layouts and sizes.
#ifndef NPU_COMPILER_LAYOUT_PROBLEM_NAMES_H
#define NPU_COMPILER_LAYOUT_PROBLEM_NAMES_H

#include "compiler/Dialect/NPU/OpNames.h"
#include "compiler/Layout/Problem/ImageAxes.h"

namespace npu {

/// "NHWC (acdb) or NCHW16c (aBcd16b)": for messages.
std::string layoutNames(ArrayRef<LayoutAttr> layouts, const ImageAxes &axes);

/// The layouts of inputs, then outputs, by name where the image axes are known.
std::vector<std::string> boundaryLayoutNames(mlir::func::FuncOp function,
                                             const ImageAxesAnalysis &axes);

/// The model's name of an input or output; "input 0" if it has none.
std::string boundaryName(mlir::func::FuncOp function, unsigned index,
                         bool output);

/// The return's operand that is the op's result; null if it is none.
OpOperand *returnedBy(Operation *op);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_PROBLEM_NAMES_H
