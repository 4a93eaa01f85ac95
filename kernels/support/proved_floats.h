// SPDX-License-Identifier: Apache-2.0
//
// A convolution or product of bytes with integers behind it, as the library's
// own kernel with floats that give the same bytes (float_scale.h). The bias is
// part of what they add. Of channels for which that is not proved, the results
// that may be wrong are computed once more: one of some hundreds.
#ifndef NPU_KERNELS_SUPPORT_PROVED_FLOATS_H
#define NPU_KERNELS_SUPPORT_PROVED_FLOATS_H

#include "kernels/support/integer_steps.h"
#include "kernels/tensor.h"

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
  /// A channel of a convolution some of whose results are looked at again.
  struct Channel {
    MulShift step;
    int32_t bias;
    int64_t data;   // where the first channel of its group lies
    int64_t weight; // of `weights`: windows, then channels
  };

  void keepUnsure(const void *const *operands);
  void keepChannel(const IntegerSteps::Floats::Unsure &unsure,
                   const void *const *operands);
  Problem floatProblem(int channel) const;
  int32_t sumOf(const Channel &channel, const void *data, int64_t pixel) const;
  void correct(void *const *operands, Range results) const;
  void correctOne(void *const *operands, int64_t place, uint8_t &byte) const;

  Problem problem;
  IntegerSteps::Floats floats;
  std::vector<int32_t> biases; // of each channel; empty: there are none
  std::vector<Channel> channels;
  std::vector<int32_t> numbers; // of each channel, in `channels`
  std::vector<int8_t> weights;
  Strides strides; // of the data
  /// Where blocks lie in the results of some pixels, `lookedAt` in all, and
  /// what to look for in them: a byte each, where the mask's bit says so.
  std::vector<int32_t> blocks;
  std::vector<uint8_t> wanted;
  std::vector<uint64_t> masks;
  int64_t lookedAt = 0;
  std::unique_ptr<Kernel> kernel;
};

} // namespace npu::kernels

#endif // NPU_KERNELS_SUPPORT_PROVED_FLOATS_H
