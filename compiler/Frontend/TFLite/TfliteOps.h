// SPDX-License-Identifier: Apache-2.0
//
// What npuc takes of TFLite: the operators and types whose numbers are
// LiteRT's. What the converter to TOSA gives wrong is replaced here, or
// refused.
#ifndef NPU_COMPILER_FRONTEND_TFLITE_TFLITEOPS_H
#define NPU_COMPILER_FRONTEND_TFLITE_TFLITEOPS_H

#include "compiler/Frontend/TFLite/TfliteRewrite.h"

namespace npu {

/// What must be replaced before the converter sees the model; or one error at
/// `file` with all operators that npuc does not take.
FailureOr<std::vector<TfliteReplacement>>
checkTfliteOps(Location file, const tflite::Model &model);

/// The table of operators, for docs/tflite-ops.md.
std::string supportedTfliteOpsMarkdown();

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_TFLITE_TFLITEOPS_H
