// SPDX-License-Identifier: Apache-2.0
//
// A convolution or product of bytes with integers behind it, as the library's
// own kernel with floats that give the same bytes (float_scale.h). Of channels
// for which that is not proved, the results that may be wrong are computed once
// more: one of some hundreds.
#ifndef NPU_KERNELS_SUPPORT_PROVED_FLOATS_H
#define NPU_KERNELS_SUPPORT_PROVED_FLOATS_H

#include "kernels/support/integer_steps.h"

#include <memory>

namespace npu::kernels {

class ProvedFloats {
public:
  /// Null where there are no such floats, or the library has no such kernel in
  /// `scratchBytes`. `operands` has the constants.
  static std::unique_ptr<ProvedFloats> of(const Problem &problem,
                                          const IntegerSteps &steps,
                                          const void *const *operands,
                                          size_t scratchBytes);

  size_t pack(const void *const *operands);
  bool isPacked(size_t input) const;
  int run(void *const *operands, void *scratch) const;

private:
  /// A channel whose results are looked at again.
  struct Unsure {
    IntegerSteps::Floats::Unsure what;
    int32_t bias;
    std::vector<int8_t> weight; // windows, then channels
  };

  void keepUnsure(const void *const *operands);
  Problem floatProblem(const IntegerSteps &steps) const;
  int32_t sumOf(const Unsure &channel, const void *data, int64_t image,
                int64_t y, int64_t x) const;
  void correct(void *const *operands, Range results) const;
  void correctOne(void *const *operands, int64_t place, uint8_t *bytes) const;

  Problem problem;
  size_t proper = 0; // operands of the kernel proper
  IntegerSteps::Floats floats;
  std::vector<Unsure> unsure;
  /// Of the channels of some pixels: the first byte to look at, and how many.
  std::vector<uint8_t> firsts, counts;
  std::vector<int32_t> numbers; // of each channel in `unsure`
  std::unique_ptr<Kernel> kernel;
};

} // namespace npu::kernels

#endif // NPU_KERNELS_SUPPORT_PROVED_FLOATS_H
