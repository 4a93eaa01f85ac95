// SPDX-License-Identifier: Apache-2.0
//
// Constants of which the file has only the elements that are not 0.
#ifndef NPU_COMPILER_FRONTEND_TFLITE_TFLITESPARSE_H
#define NPU_COMPILER_FRONTEND_TFLITE_TFLITESPARSE_H

#include "compiler/Frontend/Support/Emitter.h"
#include "compiler/Frontend/TFLite/TfliteModel.h"

#include <vector>

namespace npu {

/// All elements of a tensor with sparsity, of `width` bytes each, from those
/// that are stored. Errors where these are not what its dimensions say.
FailureOr<std::vector<char>> denseBytes(Emitter &emitter,
                                        const tflite::Tensor &tensor,
                                        StringRef stored, size_t width);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_TFLITE_TFLITESPARSE_H
