// SPDX-License-Identifier: Apache-2.0
#ifndef NPU_COMPILER_CODEGEN_MANIFEST_H
#define NPU_COMPILER_CODEGEN_MANIFEST_H

#include "compiler/Codegen/ProgramPlan.h"
#include "format/manifest.h"

namespace npu {

/// What the plan says of the program; the caller adds target, strategy,
/// processor features and the model's name. `layoutNames` names the layout of
/// each input, then each output, for people ("NHWC").
format::Manifest makeManifest(const ProgramPlan &plan,
                              ArrayRef<std::string> layoutNames);

} // namespace npu

#endif // NPU_COMPILER_CODEGEN_MANIFEST_H
