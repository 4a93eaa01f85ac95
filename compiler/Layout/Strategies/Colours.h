// SPDX-License-Identifier: Apache-2.0
//
// Which values of a graph are images and which are plain tensors: the colours
// that transmit spreads and preset reads.
#ifndef NPU_COMPILER_LAYOUT_STRATEGIES_COLOURS_H
#define NPU_COMPILER_LAYOUT_STRATEGIES_COLOURS_H

#include "compiler/Dialect/NPU/NPUDialect.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <string>

namespace npu {

/// A value's colour: the roles of its logical dimensions ("NCHW", "NHWC",
/// "OIHW"), or "tensor". Empty: not decided.
using Colour = std::string;
constexpr StringRef tensorColour = "tensor";

using Colours = llvm::DenseMap<Value, Colour>;

/// Where a colour stands in the IR: on an op for its result, on an argument.
constexpr StringRef colourAttr = "npu.colour";

/// What a colour may be: for messages.
constexpr StringRef colourHelp =
    "expected tensor or the axes of an image, such as NCHW";

/// Whether the text is a colour: "tensor" or the axes of an image or weight of
/// rank 3 to 5 in some order.
bool isColour(StringRef text);

/// Colours every value: backward from the ops that know their layouts, the
/// inputs that are left with `openInputs` (where it fits), then forward. Linear
/// in the graph's size.
Colours transmitColours(mlir::func::FuncOp function, StringRef openInputs);

/// Whether some value has a colour in the IR.
bool hasColours(mlir::func::FuncOp function);
void writeColours(mlir::func::FuncOp function, const Colours &colours);
/// Fails, with an error at the value's op, where a colour is missing or wrong.
FailureOr<Colours> readColours(mlir::func::FuncOp function);
void eraseColours(mlir::func::FuncOp function);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_STRATEGIES_COLOURS_H
