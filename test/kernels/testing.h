// SPDX-License-Identifier: Apache-2.0
//
// Problems, data and runs for the kernel tests.
#ifndef NPU_TEST_KERNELS_TESTING_H
#define NPU_TEST_KERNELS_TESTING_H

#include "kernels/kernel.h"
#include "kernels/tensor.h"

#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace npu::kernels::testing {

/// Memory as the runtime gives it: aligned, with room behind it that must not
/// change.
class Buffer {
public:
  explicit Buffer(size_t size, uint8_t fill = 0);
  void *data() { return start; }
  const void *data() const { return start; }
  size_t size() const { return bytes; }
  bool isIntact() const;
  template <typename T>
  T *as() {
    return static_cast<T *>(static_cast<void *>(start));
  }

private:
  std::vector<uint8_t> storage;
  uint8_t *start;
  size_t bytes;
};

/// Row-major tensor.
npu_tensor_desc tensor(int32_t dtype, const std::vector<int64_t> &dims);
/// With a layout in letters: "acdb", "aBcd16b".
npu_tensor_desc tensor(int32_t dtype, const std::vector<int64_t> &dims,
                       const std::string &layout);

npu_instr unary(npu_instr_kind kind, int a, float alpha = 0, float beta = 0,
                int32_t dtype = NPU_F32);
npu_instr binary(npu_instr_kind kind, int a, int b, int32_t dtype = NPU_F32);

/// Logical elements, row-major, as doubles, to and from stored memory. Padding
/// lanes get `padding` when stored.
void storeValues(const npu_tensor_desc &tensor,
                 const std::vector<double> &values, void *data);
std::vector<double> loadValues(const npu_tensor_desc &tensor, const void *data);

/// Small integers in [low, high], the same for the same seed.
std::vector<double> randomValues(const npu_tensor_desc &tensor, int low,
                                 int high, uint32_t seed);

/// Whether all padding lanes hold zero bits.
bool paddingIsZero(const npu_tensor_desc &tensor, const void *data);

/// Runs a made kernel on values per input; returns the output's values. Checks
/// that nothing outside the output and the scratch was written, that padding
/// lanes are zero, and that constants were packed where it says so.
std::vector<double> runKernel(Kernel &kernel, const Problem &problem,
                              const std::vector<std::vector<double>> &inputs);

std::vector<double>
runReference(const Problem &problem,
             const std::vector<std::vector<double>> &inputs);

/// Random inputs that fit the problem (indices in range, booleans 0 or 1).
std::vector<std::vector<double>> inputsFor(const Problem &problem,
                                           uint32_t seed);

/// Marks input `i` as a constant.
void makeConstant(Problem &problem, size_t i);

Problem convProblem(const npu_tensor_desc &x, int64_t outputs,
                    std::vector<int64_t> kernel, int64_t stride, int64_t pad,
                    int64_t groups, const std::string &layout,
                    bool withBias = true, int64_t dilation = 1);

/// A 3x3 convolution of stride 1 as Winograd's, with a transformed weight that
/// is any weight.
Problem winogradProblem(const npu_tensor_desc &x, int64_t outputs, int64_t tile,
                        int64_t pad, const std::string &layout,
                        const std::string &weightLayout, bool withBias);

/// The weight of a Winograd problem from that of the convolution, [O, I, 3, 3].
std::vector<double> atPoints(const Problem &winograd,
                             const std::vector<double> &taps);

} // namespace npu::kernels::testing

#endif // NPU_TEST_KERNELS_TESTING_H
