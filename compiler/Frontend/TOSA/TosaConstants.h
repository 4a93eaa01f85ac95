// SPDX-License-Identifier: Apache-2.0
//
// Elements of TOSA constants as the npu dialect holds them.
#ifndef NPU_COMPILER_FRONTEND_TOSA_TOSACONSTANTS_H
#define NPU_COMPILER_FRONTEND_TOSA_TOSACONSTANTS_H

#include "compiler/Frontend/Support/Emitter.h"

namespace npu {

/// The same numbers in an element type of the dialect (i16 becomes i32), or an
/// error at the emitter's node: no such type, a resource that is missing or
/// too short.
FailureOr<ElementsAttr> dialectElements(Emitter &emitter,
                                        ElementsAttr elements);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_TOSA_TOSACONSTANTS_H
