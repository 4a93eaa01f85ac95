// SPDX-License-Identifier: Apache-2.0
//
// Reads the table of measured kernels that a target's `costs` names
// (docs/measured-costs.md).
#ifndef NPU_COMPILER_TARGET_COSTTABLEREADER_H
#define NPU_COMPILER_TARGET_COSTTABLEREADER_H

#include "compiler/Support/LLVM.h"
#include "cost/cost_table.h"

#include <optional>
#include <string>

namespace npu {

/// `file` is for messages: "FILE:LINE: what was found, what is expected".
std::optional<cost::CostTable> readCostTable(StringRef text, StringRef file,
                                             std::string &error);

/// What the op's name is where a relayout is meant, or a view that moves data.
inline constexpr llvm::StringLiteral relayoutCostName = "relayout";

} // namespace npu

#endif // NPU_COMPILER_TARGET_COSTTABLEREADER_H
