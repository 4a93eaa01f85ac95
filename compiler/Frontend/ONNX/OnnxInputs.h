// SPDX-License-Identifier: Apache-2.0
//
// The graph's inputs with all sizes known.
#ifndef NPU_COMPILER_FRONTEND_ONNX_ONNXINPUTS_H
#define NPU_COMPILER_FRONTEND_ONNX_ONNXINPUTS_H

#include "compiler/Frontend/ONNX/OnnxImporter.h"
#include "compiler/Frontend/ONNX/OnnxModel.h"

namespace npu {

/// An input of the graph: an argument of @main, or a constant.
struct OnnxInput {
  std::string name;
  RankedTensorType type;
  ElementsAttr bound; // null: an argument
};

/// The model's inputs (initializers are none) with the options applied. Errors:
/// names that are no input, shapes that contradict the model or each other,
/// sizes that stay unknown.
FailureOr<std::vector<OnnxInput>> bindInputs(const OnnxModel &model,
                                             const OnnxImportOptions &options);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_ONNX_ONNXINPUTS_H
