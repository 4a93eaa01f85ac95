// SPDX-License-Identifier: Apache-2.0
//
// Where kernels run: on one thread that owns the team, or inline.
#ifndef NPU_RUNTIME_EXECUTOR_EXECUTOR_H
#define NPU_RUNTIME_EXECUTOR_EXECUTOR_H

#include "kernels/memory.h"
#include "kernels/parallel.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace npu::runtime {

/// What the caller brings; empty parts are the system's.
struct Host {
  kernels::Allocator allocator;
  kernels::Pool pool;
};

/// OpenMP keeps a team per thread that starts one. So one thread starts all:
/// callers queue, and the machine is never oversubscribed. Inline, each caller
/// runs alone on its own thread with a team of one; with a pool, each caller
/// runs on its own thread and divides the work among the pool's.
class Executor {
public:
  /// `threads` >= 1; `runInline` only with 1.
  Executor(int threads, bool runInline, const Host &host);
  ~Executor();
  Executor(const Executor &) = delete;
  Executor &operator=(const Executor &) = delete;

  /// Runs `job` and waits for its end; what it throws is thrown here.
  void run(const std::function<void()> &job);

  int threads() const { return teamSize; }
  const kernels::Allocator &allocator() const { return host.allocator; }

private:
  struct Ticket;
  void serve();

  const int teamSize;
  const Host host;
  const bool isInline;
  std::mutex mutex;
  std::condition_variable arrived;
  std::deque<Ticket *> queue;
  bool stopping = false;
  std::thread worker;
};

} // namespace npu::runtime

#endif // NPU_RUNTIME_EXECUTOR_EXECUTOR_H
