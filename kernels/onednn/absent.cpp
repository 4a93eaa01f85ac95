// SPDX-License-Identifier: Apache-2.0
//
// In the place of all oneDNN kernels where npuc is built without oneDNN, and in
// the static libnpu: our own kernels and the references compute everything. Of
// nets of bytes oneDNN computes most; few rows of them and what is for bf16
// alone are left out as well, for programs that carry the library are to be
// small.

#include "kernels/conv/pixel_tile.h"
#include "kernels/matmul/quantized_factors.h"
#include "kernels/registry.h"
#include "kernels/support/tile_scope.h"

namespace npu::kernels {

static std::unique_ptr<Kernel> refuse(const Problem & /*problem*/,
                                      std::string &whyNot) {
  whyNot = "this library is built without oneDNN";
  return nullptr;
}

#define NPU_REFUSE(create)                                                     \
  std::unique_ptr<Kernel> create(const Problem &problem,                       \
                                 std::string &whyNot) {                        \
    return refuse(problem, whyNot);                                            \
  }
NPU_REFUSE(createAttentionTiles)
NPU_REFUSE(createConvOnednn)
NPU_REFUSE(createConvTransposeOnednn)
NPU_REFUSE(createConvBpwOnednn)
NPU_REFUSE(createPoolOnednn)
NPU_REFUSE(createMatmulOnednn)
NPU_REFUSE(createMatmulRanged)
NPU_REFUSE(createSoftmaxOnednn)
NPU_REFUSE(createResizeOnednn)
#undef NPU_REFUSE

const PixelWindow *findBfloatWindow(int64_t, int64_t) { return nullptr; }

bool hasTiles() { return false; }
TileScope::TileScope(int64_t) {}
TileScope::~TileScope() {}
void multiplyInTiles(const QuantizedFactors &, int64_t, float *) {}

std::string libraryVersion() {
  return std::string(ownKernels) + " " + NPU_VERSION;
}

} // namespace npu::kernels
