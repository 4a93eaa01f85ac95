// SPDX-License-Identifier: Apache-2.0
//
// Where kernels run: on the calling thread, with the model's team or without.
#ifndef NPU_RUNTIME_EXECUTOR_EXECUTOR_H
#define NPU_RUNTIME_EXECUTOR_EXECUTOR_H

#include "kernels/memory.h"
#include "kernels/parallel.h"
#include "kernels/worker_team.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>

namespace npu::runtime {

/// What the caller brings; empty parts are the system's.
struct Host {
  kernels::Allocator allocator;
  kernels::Pool pool;
};

/// Each run is on the thread that asks for it. Callers of one model take turns
/// in the order in which they came, so that its team is one and the machine is
/// never oversubscribed. Inline, and with a pool, nobody waits: the team is the
/// caller alone, or the pool's threads.
class Executor {
public:
  /// `threads` >= 1; `runInline` only with 1.
  Executor(int threads, bool runInline, const Host &host);
  Executor(const Executor &) = delete;
  Executor &operator=(const Executor &) = delete;

  /// Runs `job`; what it throws is thrown here. Its floats round to nearest and
  /// keep denormals, whatever the caller has set for its own.
  void run(const std::function<void()> &job);

  int threads() const { return teamSize; }
  const kernels::Allocator &allocator() const { return host.allocator; }

private:
  const int teamSize;
  const Host host;
  const bool isInline;
  kernels::WorkerTeam team;
  std::mutex mutex;
  std::condition_variable turn;
  uint64_t arrived = 0, served = 0; // callers
};

} // namespace npu::runtime

#endif // NPU_RUNTIME_EXECUTOR_EXECUTOR_H
