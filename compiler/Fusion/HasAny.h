// SPDX-License-Identifier: Apache-2.0
//
// Whether a pass has anything to do.
#ifndef NPU_COMPILER_FUSION_HASANY_H
#define NPU_COMPILER_FUSION_HASANY_H

#include "compiler/Dialect/NPU/NPUDialect.h"

namespace npu::rewrites {

/// Whether there is any such op under `root`: a look at each op is far cheaper
/// than patterns that find nothing.
template <class... Ops>
bool hasAny(Operation *root) {
  return root
      ->walk([](Operation *op) {
        return isa<Ops...>(op) ? mlir::WalkResult::interrupt()
                               : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace npu::rewrites

#endif // NPU_COMPILER_FUSION_HASANY_H
