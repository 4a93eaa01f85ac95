// SPDX-License-Identifier: Apache-2.0
#ifndef NPU_COMPILER_LAYOUT_APPLY_CHECKSET_H
#define NPU_COMPILER_LAYOUT_APPLY_CHECKSET_H

#include "compiler/Layout/Problem/Replacement.h"

namespace npu {

/// Whether a plugin's set computes what the op does: both on the op's constants
/// and made-up numbers elsewhere, by the evaluator, whatever the layouts.
/// Reals may differ as by another order of adding, integers by one. Fails with
/// an error at the op that names the plugin.
LogicalResult checkSet(const Alternative &alternative, Operation *op,
                       const Replacement &set);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_APPLY_CHECKSET_H
