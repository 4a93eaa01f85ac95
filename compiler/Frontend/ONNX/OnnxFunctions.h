// SPDX-License-Identifier: Apache-2.0
//
// A model's own functions: operators that the file defines by others.
#ifndef NPU_COMPILER_FRONTEND_ONNX_ONNXFUNCTIONS_H
#define NPU_COMPILER_FRONTEND_ONNX_ONNXFUNCTIONS_H

#include "compiler/Frontend/ONNX/OnnxModel.h"

namespace npu {

/// The function that defines the node's operator, or null.
const onnx::FunctionProto *lookupFunction(const OnnxModel &model,
                                          const onnx::NodeProto &call);

/// No two functions of a model define the same operator.
LogicalResult checkFunctions(const OnnxModel &model);

/// The version of ai.onnx that the function's nodes are of.
int64_t opsetOfFunction(const OnnxModel &model,
                        const onnx::FunctionProto &function);

/// The function's nodes as a graph, for one call: its attributes filled in,
/// inputs that the call leaves out left out.
onnx::GraphProto bodyOfCall(const onnx::FunctionProto &function,
                            const onnx::NodeProto &call);

/// Something must define every output of such a graph; `call` is where it is.
LogicalResult checkOutputs(Location call, const onnx::GraphProto &body);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_ONNX_ONNXFUNCTIONS_H
