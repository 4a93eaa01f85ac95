// SPDX-License-Identifier: Apache-2.0
//
// What is measured: problems of networks' sizes, in each layout.
#ifndef NPU_BENCH_KERNELS_PROBLEMS_H
#define NPU_BENCH_KERNELS_PROBLEMS_H

#include "kernels/kernel.h"

#include <string>
#include <vector>

namespace npu::bench {

struct Measured {
  std::string name; ///< "conv3x3/64x56x56/f32/NHWC"
  kernels::Problem problem;
  double operations = 0; ///< of one run, a multiply-add two; 0: it only moves
};

std::vector<Measured> problems();

} // namespace npu::bench

#endif // NPU_BENCH_KERNELS_PROBLEMS_H
