// SPDX-License-Identifier: Apache-2.0
//
// Branches of which data choose one: both are computed.
#ifndef NPU_COMPILER_FRONTEND_SUPPORT_BRANCHES_H
#define NPU_COMPILER_FRONTEND_SUPPORT_BRANCHES_H

#include "compiler/Frontend/Support/Emitter.h"

namespace npu {

/// What a branch gives, after its ops are made.
using Branch = function_ref<FailureOr<SmallVector<Value>>()>;

/// Computes both branches, and selects what the condition, one bool, says. An
/// error where one of them must not be computed, or they give different types.
FailureOr<SmallVector<Value>> selectBranch(Emitter &emitter, Value condition,
                                           Branch ifTrue, Branch ifFalse);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_SUPPORT_BRANCHES_H
