// SPDX-License-Identifier: Apache-2.0
//
// An op of a plugin as npu-dump shows it. The plugin is not needed.
#ifndef NPU_COMPILER_TOOLS_NPU_DUMP_PLUGINOP_H
#define NPU_COMPILER_TOOLS_NPU_DUMP_PLUGINOP_H

#include "format/custom_op.h"

#include "llvm/Support/JSON.h"

#include <string>

namespace npu::dump {

/// "demo 1.0 rope, result 0, inputs 0 2: base=[10000], table=[f32 2x2]".
std::string pluginOpText(const format::CustomOp &op, int32_t operands);
llvm::json::Object pluginOpJson(const format::CustomOp &op, int32_t operands);

} // namespace npu::dump

#endif // NPU_COMPILER_TOOLS_NPU_DUMP_PLUGINOP_H
