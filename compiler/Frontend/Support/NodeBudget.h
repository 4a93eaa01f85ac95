// SPDX-License-Identifier: Apache-2.0
//
// What a node takes of the budgets of the model that is being imported.
#ifndef NPU_COMPILER_FRONTEND_SUPPORT_NODEBUDGET_H
#define NPU_COMPILER_FRONTEND_SUPPORT_NODEBUDGET_H

#include "compiler/Frontend/Support/Emitter.h"
#include "compiler/Support/Budget.h"

namespace npu {

/// An error at the node if the model takes more than it may with `amount` more.
LogicalResult take(Emitter &node, Budget kind, int64_t amount);
/// The same before it is taken: for what is known to come.
LogicalResult checkLeft(Emitter &node, Budget kind, int64_t amount);
/// Before a constant of so many 64-bit numbers is made.
LogicalResult takeNumbers(Emitter &node, double count);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_SUPPORT_NODEBUDGET_H
