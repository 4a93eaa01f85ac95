// SPDX-License-Identifier: Apache-2.0
//
// What the machine can do at best, measured: the scale that kernels are held
// against.
#ifndef NPU_BENCH_KERNELS_PEAK_H
#define NPU_BENCH_KERNELS_PEAK_H

namespace npu::bench {

struct Peak {
  double gflops;    ///< f32 multiply-adds in registers, each two operations
  double gigabytes; ///< a second, read and written, far more than caches hold
};

/// With so many threads, for a fraction of a second each.
Peak measurePeak(int threads);

} // namespace npu::bench

#endif // NPU_BENCH_KERNELS_PEAK_H
