// SPDX-License-Identifier: Apache-2.0

#include "runtime/Executor/Executor.h"

#include <xmmintrin.h>

namespace npu::runtime {

namespace {

/// The state of floats that a thread starts with, and the caller's again.
class PlainFloats {
public:
  PlainFloats() : callers(_mm_getcsr()) { _mm_setcsr(plain); }
  ~PlainFloats() { _mm_setcsr(callers); }
  PlainFloats(const PlainFloats &) = delete;
  PlainFloats &operator=(const PlainFloats &) = delete;

private:
  static constexpr unsigned plain = 0x1f80; // to nearest, no exception traps
  unsigned callers;
};

} // namespace

Executor::Executor(int threads, bool runInline, const Host &given)
    : teamSize(threads), host(given),
      isInline(runInline || given.pool.parallelFor) {}

void Executor::run(const std::function<void()> &job) {
  PlainFloats floats;
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
