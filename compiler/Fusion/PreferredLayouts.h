// SPDX-License-Identifier: Apache-2.0
//
// The orders that the layout stage will likely choose, for passes before it.
#ifndef NPU_COMPILER_FUSION_PREFERREDLAYOUTS_H
#define NPU_COMPILER_FUSION_PREFERREDLAYOUTS_H

#include "compiler/Dialect/NPU/NPUDialect.h"
#include "compiler/Target/TargetSpec.h"

namespace npu {

/// The order of an op's result: the target's, or what its order for an operand
/// makes of it; null where it takes any.
LayoutAttr preferredResult(const TargetSpec &target, LayoutOpInterface op,
                           const LayoutRelation &relation);

} // namespace npu

#endif // NPU_COMPILER_FUSION_PREFERREDLAYOUTS_H
