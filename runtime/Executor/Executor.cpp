// SPDX-License-Identifier: Apache-2.0

#include "runtime/Executor/Executor.h"

namespace npu::runtime {

Executor::Executor(int threads, bool runInline, const Host &given)
    : teamSize(threads), host(given),
      isInline(runInline || given.pool.parallelFor) {}

void Executor::run(const std::function<void()> &job) {
  // Not the caller's rounding, nor its way with denormal numbers.
  kernels::FloatStateScope floats(kernels::plainFloatState);
  kernels::AllocatorScope memory(host.allocator);
  kernels::PoolScope pool(host.pool);
  kernels::ThreadScope threads(teamSize); // one, of libraries, with a pool
  if (isInline) {
    job();
    return;
  }
  std::unique_lock<std::mutex> lock(mutex);
  uint64_t mine = arrived++;
  turn.wait(lock, [&] { return mine == served; });
  lock.unlock();
  struct Next {
    Executor &executor;
    ~Next() {
      std::lock_guard<std::mutex> lock(executor.mutex);
      ++executor.served;
      executor.turn.notify_all();
    }
  } atEnd = {*this};
  kernels::TeamScope scope(team);
  job();
}

} // namespace npu::runtime
