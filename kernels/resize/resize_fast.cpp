// SPDX-License-Identifier: Apache-2.0

#include "kernels/registry.h"

namespace npu::kernels {

std::unique_ptr<Kernel> createResizeFast(const Problem &problem,
                                         std::string &whyNot) {
  if (problem.attrs.resize.mode == NPU_RESIZE_NEAREST)
    return createPiecesFast(problem, whyNot);
  whyNot = "interpolation";
  return nullptr;
}

} // namespace npu::kernels
