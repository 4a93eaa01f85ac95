// SPDX-License-Identifier: Apache-2.0
//
// What a chip accepts, on a value.
#ifndef NPU_COMPILER_TARGET_ACCEPTEDLAYOUTS_H
#define NPU_COMPILER_TARGET_ACCEPTEDLAYOUTS_H

#include "compiler/Target/TargetSpec.h"

#include "compiler/Dialect/NPU/NPUDialect.h"

namespace npu {

/// The layouts that the chip accepts for a value that has this role at the op,
/// preferred first; empty: any. A demand speaks of image axes; nothing is
/// demanded where nothing tells. `axes` is asked only where the chip lists
/// some.
SmallVector<LayoutAttr> acceptedLayouts(const TargetSpec &target,
                                        LayoutOpInterface op, StringRef role,
                                        Value value,
                                        llvm::function_ref<ImageAxes()> axes);

} // namespace npu

#endif // NPU_COMPILER_TARGET_ACCEPTEDLAYOUTS_H
