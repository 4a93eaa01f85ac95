// SPDX-License-Identifier: Apache-2.0
//
// Nodes that plugins know.
#ifndef NPU_COMPILER_FRONTEND_ONNX_ONNXCUSTOM_H
#define NPU_COMPILER_FRONTEND_ONNX_ONNXCUSTOM_H

#include "compiler/Frontend/ONNX/OnnxModel.h"
#include "plugin/Plugin.h"

namespace npu {

/// What a node is of a plugin that the context has; null pointers: nothing.
struct PluginNode {
  const plugin::Plugin *plugin = nullptr;
  const npu_plugin_op *op = nullptr;
};
PluginNode lookupPluginNode(MLIRContext *context, const onnx::NodeProto &node);

/// The node's results, each by an op of its own; inputs and results that the
/// node leaves out are null.
FailureOr<SmallVector<Value>>
buildPluginNode(OpBuilder &builder, const OnnxModel &model, PluginNode op,
                const onnx::NodeProto &node, ArrayRef<Value> inputs);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_ONNX_ONNXCUSTOM_H
