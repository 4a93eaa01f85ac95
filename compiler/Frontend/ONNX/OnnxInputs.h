// SPDX-License-Identifier: Apache-2.0
//
// The inputs that an ONNX graph declares.
#ifndef NPU_COMPILER_FRONTEND_ONNX_ONNXINPUTS_H
#define NPU_COMPILER_FRONTEND_ONNX_ONNXINPUTS_H

#include "compiler/Frontend/ONNX/OnnxModel.h"
#include "compiler/Frontend/Support/Inputs.h"

namespace npu {

/// The model's inputs (initializers are none) with the options applied.
FailureOr<std::vector<GraphInput>> bindOnnxInputs(const OnnxModel &model,
                                                  const ImportOptions &options);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_ONNX_ONNXINPUTS_H
