// SPDX-License-Identifier: Apache-2.0

#include "bench/kernels/Peak.h"

#include "kernels/parallel.h"
#include "kernels/support/vectors.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

namespace npu::bench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int tries = 5;

double secondsOf(int threads, const std::function<void(int)> &body) {
  double best = 1e9;
  for (int attempt = 0; attempt < tries; ++attempt) {
    Clock::time_point start = Clock::now();
    kernels::parallelFor(threads, [&](int thread, int) { body(thread); });
    best = std::min(
        best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

/// `Chains` sums that do not wait for each other: more hide more of the
/// latency, too many leave the registers.
template <int Chains>
NPU_INLINE void addProducts(int64_t steps, float *results) {
  const kernels::Vector factor = kernels::Vector{} + 0.5f;
  kernels::Vector sums[Chains] = {};
  for (int64_t step = 0; step < steps; ++step)
#pragma clang loop unroll(full)
    for (int i = 0; i < Chains; ++i)
      sums[i] = sums[i] * factor + factor;
  std::memcpy(results, sums, sizeof(sums));
}

constexpr int few = 5, many = 10;
constexpr int64_t steps = 10'000'000;

NPU_CLONES(void, addFew, (float *results), (results)) {
  addProducts<few>(steps, results);
}
NPU_CLONES(void, addMany, (float *results), (results)) {
  addProducts<many>(steps, results);
}

double gflops(int threads, int chains, void (*add)(float *)) {
  double seconds = secondsOf(threads, [&](int) {
    float results[many * kernels::lanes];
    add(results);
    volatile float kept = results[0];
    (void)kept;
  });
  return 2.0 * kernels::lanes * chains * steps * threads / seconds / 1e9;
}

double gigabytes(int threads) {
  constexpr size_t bytes = size_t{128} << 20;
  std::vector<std::vector<char>> from(static_cast<size_t>(threads)), to(from);
  kernels::parallelFor(threads, [&](int thread, int) {
    from[static_cast<size_t>(thread)].assign(bytes, 1);
    to[static_cast<size_t>(thread)].assign(bytes, 2);
  });
  double seconds = secondsOf(threads, [&](int thread) {
    auto at = static_cast<size_t>(thread);
    std::memcpy(to[at].data(), from[at].data(), bytes);
  });
  return 2.0 * bytes * threads / seconds / 1e9;
}

} // namespace

Peak measurePeak(int threads) {
  return {
      std::max(gflops(threads, few, addFew), gflops(threads, many, addMany)),
      gigabytes(threads)};
}

} // namespace npu::bench
