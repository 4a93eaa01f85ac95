// SPDX-License-Identifier: Apache-2.0
//
// --max-transposes and --max-relayout-bytes: what may be left to move.
#ifndef NPU_COMPILER_LAYOUT_EXPLAIN_LAYOUTBUDGET_H
#define NPU_COMPILER_LAYOUT_EXPLAIN_LAYOUTBUDGET_H

#include "compiler/Layout/Explain/RelayoutReport.h"

namespace npu {

struct LayoutBudget {
  std::optional<int64_t> count, bytes;
};

/// "4096", "2.4MB", "1 GiB"; nothing where it is none of these.
std::optional<int64_t> parseBytes(StringRef text);

/// Fails with one error that says by how much, and a note for each relayout
/// above the budget: the cheapest ones fit in it, the others do not.
LogicalResult checkBudget(mlir::func::FuncOp function,
                          const RelayoutReport &report,
                          const LayoutBudget &budget);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_EXPLAIN_LAYOUTBUDGET_H
