// SPDX-License-Identifier: Apache-2.0
//
// Nodes that plugins know.
#ifndef NPU_COMPILER_FRONTEND_ONNX_ONNXCUSTOM_H
#define NPU_COMPILER_FRONTEND_ONNX_ONNXCUSTOM_H

#include "compiler/Frontend/ONNX/OnnxModel.h"
#include "compiler/Frontend/Support/PluginNode.h"

namespace npu {

/// The node's results, each by an op of its own; inputs and results that the
/// node leaves out are null.
FailureOr<SmallVector<Value>>
buildPluginNode(OpBuilder &builder, const OnnxModel &model, PluginNode op,
                const onnx::NodeProto &node, ArrayRef<Value> inputs);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_ONNX_ONNXCUSTOM_H
