// SPDX-License-Identifier: Apache-2.0
#ifndef NPU_RUNTIME_TOOLS_NPU_RUN_COMPARE_H
#define NPU_RUNTIME_TOOLS_NPU_RUN_COMPARE_H

#include "npu/npu.hpp"

#include <string>

namespace npu::tools {

struct Comparison {
  size_t elements = 0;
  size_t mismatches = 0;
  /// Of the numbers; where one of both is NaN there is no error to measure.
  double maxAbsolute = 0;
  double maxRelative = 0; ///< of the element's own expected value
  double largest = 0;     ///< expected value, infinities apart
  /// NaN where a number is expected; a number where NaN is; NaN in both.
  size_t nanFound = 0, nanMissing = 0, nanInBoth = 0;
  size_t first = 0; ///< element of the first mismatch
  double got = 0, expected = 0;

  bool passed() const { return mismatches == 0; }
};

/// |got - expected| <= atol + rtol * |expected| for each element, as numpy's
/// allclose; two NaN are equal. Both buffers hold a .npy file's values.
Comparison compare(const npu_tensor_info &info, const Buffer &got,
                   const Buffer &expected, double rtol, double atol);

/// One line for people. Errors stand beside the largest value, too: one that is
/// large relative to a value next to 0 may be nothing beside the others.
std::string describe(const npu_tensor_info &info, const Comparison &result);

} // namespace npu::tools

#endif // NPU_RUNTIME_TOOLS_NPU_RUN_COMPARE_H
