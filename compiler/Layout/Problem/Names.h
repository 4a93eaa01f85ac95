// SPDX-License-Identifier: Apache-2.0
//
// What messages and reports call ops, values, layouts and sizes.
#ifndef NPU_COMPILER_LAYOUT_PROBLEM_NAMES_H
#define NPU_COMPILER_LAYOUT_PROBLEM_NAMES_H

#include "compiler/Layout/Problem/ImageAxes.h"

namespace npu {

/// "NHWC (acdb) or NCHW16c (aBcd16b)": for messages.
std::string layoutNames(ArrayRef<LayoutAttr> layouts, const ImageAxes &axes);

/// The model's node that an op comes from: "Conv 'c1'"; empty if not known.
std::string nodeName(Location location);

/// The model's name of an input or output; "input 0" if it has none.
std::string boundaryName(mlir::func::FuncOp function, unsigned index,
                         bool output);

/// "Conv 'c1'", or the op's own name where the model has none.
std::string opName(Operation *op);

/// The same with the kind of op: "Conv 'c1' (conv2d)".
std::string opText(Operation *op);

/// The return's operand that is the op's result; null if it is none.
OpOperand *returnedBy(Operation *op);

/// "2304 bytes", "2.4 MB".
std::string bytesText(int64_t bytes);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_PROBLEM_NAMES_H
