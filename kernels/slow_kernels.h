// SPDX-License-Identifier: Apache-2.0
//
// The warnings about kernels that run on a reference implementation.
#ifndef NPU_KERNELS_SLOW_KERNELS_H
#define NPU_KERNELS_SLOW_KERNELS_H

#include <string>
#include <vector>

namespace npu::kernels {

struct SlowKernel {
  std::string name, node, implementation;
};

/// One sentence for each implementation, in the order of their first kernels:
/// how many there are, and the names of the first.
std::vector<std::string>
describeSlowKernels(const std::vector<SlowKernel> &kernels);

} // namespace npu::kernels

#endif // NPU_KERNELS_SLOW_KERNELS_H
