// SPDX-License-Identifier: Apache-2.0
//
// The order in which a graph's nodes are imported.
#ifndef NPU_COMPILER_FRONTEND_ONNX_ONNXGRAPH_H
#define NPU_COMPILER_FRONTEND_ONNX_ONNXGRAPH_H

#include "compiler/Frontend/ONNX/OnnxModel.h"

#include <vector>

namespace npu {

/// The nodes that the graph's outputs need, each after those it reads, else in
/// the file's order. `isOuter` tells which names an enclosing graph defines.
/// Errors: a name defined twice, a name that nothing defines, a cycle.
FailureOr<std::vector<onnx::NodeProto *>>
orderNodes(const OnnxModel &model, onnx::GraphProto &graph,
           function_ref<bool(StringRef)> isOuter);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_ONNX_ONNXGRAPH_H
