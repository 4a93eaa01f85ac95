// SPDX-License-Identifier: Apache-2.0
//
// What the fast kernels of SCATTER_ELEMENTS and SCATTER_ND share: the result
// begins as a copy of the data, then updates join its elements. Those of one
// element do so in their row-major order, whatever threads there are.
#ifndef NPU_KERNELS_INDEX_SCATTER_H
#define NPU_KERNELS_INDEX_SCATTER_H

#include "kernels/kernel.h"
#include "kernels/registry.h"

#include <cstdint>
#include <string>

namespace npu::kernels {

/// How updates join elements of one type. Elements and updates are those of the
/// whole tensors.
struct Join {
  /// `length` that lie one behind the other, from these places on.
  void (*stretch)(void *elements, int64_t place, const void *updates,
                  int64_t from, int64_t length);
  /// Each at its place, in this order.
  void (*each)(void *elements, const int64_t *places, const void *updates,
               const int64_t *from, int count);
};

/// Of the problem's type and reduction.
Join joinOf(const Problem &problem);

class ScatterFast : public Kernel {
public:
  explicit ScatterFast(const Problem &p) : problem(p), join(joinOf(p)) {
    Problem copy;
    copy.op = NPU_OP_RELAYOUT;
    copy.inputs = {p.inputs[0]};
    copy.outputs = p.outputs;
    copy.threads = p.threads;
    copier = create(copy);
  }

  int run(void *const *operands, void *) const override {
    void *pair[2] = {operands[0], operands[problem.inputs.size()]};
    if (int status = copier->run(pair, nullptr))
      return status;
    return scatter(operands);
  }

protected:
  /// The updates join the result, which is a copy of the data.
  virtual int scatter(void *const *operands) const = 0;

  Problem problem;
  Join join;

private:
  std::unique_ptr<Kernel> copier;
};

/// Empty, or why none of these takes the problem.
std::string whyNotScatter(const Problem &problem);

} // namespace npu::kernels

#endif // NPU_KERNELS_INDEX_SCATTER_H
