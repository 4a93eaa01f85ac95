// SPDX-License-Identifier: Apache-2.0
//
// kernel-bench: what each kernel does in a second in each layout, beside what
// the machine can at best.
#include "bench/kernels/Peak.h"
#include "bench/kernels/Problems.h"
#include "kernels/memory.h"
#include "kernels/parallel.h"
#include "kernels/tensor.h"
#include "kernels/validate.h"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sched.h>

using namespace npu;
using bench::Measured;

static int usableProcessors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

/// Memory of a tensor with ordinary numbers in it: no zeros, none denormal.
static std::shared_ptr<void> dataOf(const npu_tensor_desc &tensor) {
  auto bytes = static_cast<size_t>(kernels::storedBytes(tensor));
  std::shared_ptr<void> data = kernels::allocate(bytes);
  if (!data)
    std::abort();
  if (tensor.dtype == NPU_F32)
    for (size_t i = 0; i < bytes / sizeof(float); ++i)
      static_cast<float *>(data.get())[i] = float(i % 61) / 32 - 0.95f;
  else
    std::memset(data.get(), 3, bytes);
  return data;
}

static int64_t bytesOf(const kernels::Problem &problem) {
  int64_t bytes = 0;
  for (const auto *tensors : {&problem.inputs, &problem.outputs})
    for (const npu_tensor_desc &tensor : *tensors)
      bytes += kernels::storedBytes(tensor);
  return bytes;
}

static void measure(benchmark::State &state, const Measured &measured,
                    int threads, const bench::Peak &peak) {
  kernels::Problem problem = measured.problem;
  problem.threads = threads;
  kernels::ThreadScope scope(threads);
  std::unique_ptr<kernels::Kernel> kernel = kernels::create(problem);
  std::vector<std::shared_ptr<void>> memory;
  std::vector<void *> operands;
  for (const auto *tensors : {&problem.inputs, &problem.outputs})
    for (const npu_tensor_desc &tensor : *tensors) {
      memory.push_back(dataOf(tensor));
      operands.push_back(memory.back().get());
    }
  std::vector<const void *> constants(problem.inputs.size());
  for (size_t i = 0; i < constants.size(); ++i)
    if (problem.isConstant(i))
      constants[i] = operands[i];
  kernel->pack(constants.data());
  std::shared_ptr<void> scratch = kernels::allocate(kernel->scratchBytes());
  for (auto _ : state)
    if (kernel->run(operands.data(), scratch.get()) != 0) {
      state.SkipWithError("the kernel fails");
      return;
    }
  using benchmark::Counter;
  auto perSecond = [](double amount) {
    return Counter(amount, Counter::kIsIterationInvariantRate);
  };
  auto gigabytes = double(bytesOf(problem)) / 1e9;
  state.counters["GB/s"] = perSecond(gigabytes);
  state.counters["of_memory"] = perSecond(gigabytes / peak.gigabytes);
  if (measured.operations > 0)
    state.counters["GFLOP/s"] = perSecond(measured.operations / 1e9);
  // Of bytes there is another peak.
  if (measured.operations > 0 && problem.inputs[0].dtype == NPU_F32)
    state.counters["of_peak"] =
        perSecond(measured.operations / 1e9 / peak.gflops);
  state.SetLabel(kernel->implementation());
}

int main(int argc, char **argv) {
  const char *wanted = std::getenv("NPU_BENCH_THREADS");
  int threads = wanted ? std::atoi(wanted) : usableProcessors();
  if (threads < 1 || threads > 1024) {
    std::fprintf(stderr,
                 "kernel-bench: NPU_BENCH_THREADS is '%s', expected 1 "
                 "to 1024\n",
                 wanted);
    return 2;
  }
  std::vector<Measured> all = bench::problems();
  for (const Measured &measured : all)
    if (std::string wrong = kernels::validate(measured.problem);
        !wrong.empty()) {
      std::fprintf(stderr, "kernel-bench: %s: %s\n", measured.name.c_str(),
                   wrong.c_str());
      return 1;
    }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 2;
  bench::Peak peak = bench::measurePeak(threads);
  benchmark::AddCustomContext("kernels", kernels::libraryVersion());
  benchmark::AddCustomContext("team", std::to_string(threads));
  benchmark::AddCustomContext("peak_gflops", std::to_string(peak.gflops));
  benchmark::AddCustomContext("peak_gigabytes", std::to_string(peak.gigabytes));
  for (const Measured &measured : all)
    benchmark::RegisterBenchmark(measured.name.c_str(), measure, measured,
                                 threads, peak)
        ->UseRealTime()
        ->Unit(benchmark::kMicrosecond);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
