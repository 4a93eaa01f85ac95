// SPDX-License-Identifier: Apache-2.0
//
// The memory of one run at a time, and the run itself.
#ifndef NPU_RUNTIME_EXECUTOR_CONTEXT_H
#define NPU_RUNTIME_EXECUTOR_CONTEXT_H

#include "chip/execution.h"
#include "npu/npu.h"
#include "runtime/Executor/Memory.h"
#include "runtime/Loader/Model.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace npu::runtime {

class Context {
public:
  explicit Context(std::shared_ptr<Model> owner);
  /// In memory of the caller, which must be enough and aligned.
  Context(std::shared_ptr<Model> owner, const npu_buffer &arena,
          const npu_buffer &scratch);

  /// Throws Failure; the buffers may hold anything afterwards.
  void run(const npu_buffer *inputs, size_t inputCount,
           const npu_buffer *outputs, size_t outputCount);

  /// Every state as it is before the first run.
  void reset();
  /// In row-major logical order. Throw Failure where there is no such state, or
  /// it has another size.
  void readState(const char *name, void *rows, uint64_t rowBytes);
  void writeState(const char *name, const void *rows, uint64_t rowBytes);

  void setProfiling(bool on);
  const std::vector<npu_kernel_time> &kernelTimes() const { return times; }

  /// What the import table's functions do, for kernel row `kernel`.
  int32_t callKernel(uint32_t kernel, void *const *operands);
  int32_t parallelFor(uint32_t kernel, int64_t count, int64_t grain,
                      npu_body body, void *const *operands);

private:
  using Clock = std::chrono::steady_clock;

  Context(std::shared_ptr<Model> owner, Memory arena, Memory scratch);
  /// One state: what the next run reads, and what it writes.
  struct State {
    Memory before, after;
  };
  /// Of a state, its index, once it is known to be there and of this size.
  size_t checkState(const char *name, const void *rows,
                    uint64_t rowBytes) const;
  void resetStates();
  int32_t runOnce(const npu_frame &frame);
  std::string runOnChip(const npu_frame &frame);
  void keepNan();
  int32_t executeKernel(uint32_t kernel, void *const *operands);
  void noteFailure(uint32_t kernel, void *const *operands);
  void record(uint32_t kernel, Clock::time_point start);
  std::string describeFailure(int32_t status) const;

  std::shared_ptr<Model> model;
  Memory arena;
  Memory scratch;
  std::vector<State> states;
  std::unique_ptr<chip::Execution> onChip; ///< null: kernels run
  /// Kernels that run in the place of those of the same number; usually empty.
  std::vector<const kernels::Kernel *> replaced;
  bool profiling = false;
  std::vector<npu_kernel_time> times;
  Clock::time_point runStart;
  int64_t failedKernel = -1;
  std::string fault; ///< what in its operands ended it, if that is known
  std::atomic<bool> busy{false};
};

} // namespace npu::runtime

#endif // NPU_RUNTIME_EXECUTOR_CONTEXT_H
