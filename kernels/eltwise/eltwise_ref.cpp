// SPDX-License-Identifier: Apache-2.0

#include "kernels/registry.h"
#include "kernels/support/reference.h"

namespace npu::kernels {

namespace {
class EltwiseReference : public ReferenceKernel {
public:
  explicit EltwiseReference(const Problem &p)
      : chain(p.inputs, p.instrs, p.outputs[0]), inputs(p.inputs.size()),
        threads(p.threads) {}
  size_t scratchBytes() const override { return chain.scratchBytes(threads); }
  int run(void *const *operands, void *scratch) const override {
    chain.run(operands, operands[inputs], scratch, threads);
    return 0;
  }

private:
  Elementwise chain;
  size_t inputs;
  int threads;
};
} // namespace

std::unique_ptr<Kernel> createEltwiseReference(const Problem &problem,
                                               std::string &) {
  return std::make_unique<EltwiseReference>(problem);
}

} // namespace npu::kernels
