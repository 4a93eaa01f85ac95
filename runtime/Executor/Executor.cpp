// SPDX-License-Identifier: Apache-2.0

#include "runtime/Executor/Executor.h"

#include "kernels/parallel.h"

#include <exception>

namespace npu::runtime {

/// One waiting caller; lives on the caller's stack.
struct Executor::Ticket {
  const std::function<void()> &job;
  std::exception_ptr failure = nullptr;
  bool done = false;
  std::condition_variable finished = {};
};

Executor::Executor(int threads, bool runInline, const Host &given)
    : teamSize(threads), host(given),
      isInline(runInline || given.pool.parallelFor) {
  if (!isInline)
    worker = std::thread([this] { serve(); });
}

Executor::~Executor() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  arrived.notify_one();
  if (worker.joinable())
    worker.join();
}

void Executor::serve() {
  kernels::setThreads(teamSize);
  kernels::AllocatorScope memory(host.allocator);
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    arrived.wait(lock, [this] { return stopping || !queue.empty(); });
    if (queue.empty())
      return;
    Ticket *ticket = queue.front();
    queue.pop_front();
    lock.unlock();
    try {
      ticket->job();
    } catch (...) {
      ticket->failure = std::current_exception();
    }
    lock.lock();
    ticket->done = true;
    // Under the lock: the caller may destroy the ticket once it sees `done`.
    ticket->finished.notify_one();
  }
}

void Executor::run(const std::function<void()> &job) {
  if (isInline) {
    kernels::PoolScope pool(host.pool);
    kernels::AllocatorScope memory(host.allocator);
    kernels::ThreadScope scope(teamSize);
    job();
    return;
  }
  Ticket ticket{job};
  std::unique_lock<std::mutex> lock(mutex);
  queue.push_back(&ticket);
  arrived.notify_one();
  ticket.finished.wait(lock, [&] { return ticket.done; });
  if (ticket.failure)
    std::rethrow_exception(ticket.failure);
}

} // namespace npu::runtime
