// SPDX-License-Identifier: Apache-2.0
//
// --emit=html: the compiled graph as one page that a browser opens, with
// nothing to fetch.
#ifndef NPU_COMPILER_HTML_GRAPHPAGE_H
#define NPU_COMPILER_HTML_GRAPHPAGE_H

#include "compiler/Codegen/ProgramPlan.h"

#include "llvm/Support/JSON.h"

namespace npu {

/// The data block of the page, described in README.md. `function` is the one
/// that `plan` was made from, `report` the report of the same compilation.
llvm::json::Object graphJson(mlir::func::FuncOp function,
                             const ProgramPlan &plan,
                             llvm::json::Object report);

/// The page around a data block.
std::string graphPage(llvm::json::Object data);

} // namespace npu

#endif // NPU_COMPILER_HTML_GRAPHPAGE_H
