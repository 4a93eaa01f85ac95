// SPDX-License-Identifier: Apache-2.0

#include "kernels/worker_team.h"

#include <algorithm>
#include <chrono>
#include <climits>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <xmmintrin.h>

namespace npu::kernels {

/// What the starting thread writes for one worker is one line of the cache.
struct alignas(64) WorkerTeam::Worker {
  Word starts;
  Body body = nullptr;
  void *data = nullptr;
  int size = 0; // of the team; 0: end
  int thread = 0;
  alignas(64) std::atomic<int> processor{-1};
  std::thread running = {};
};

namespace {

struct Inside {
  WorkerTeam *team = nullptr; // null: of one thread
  TeamPlace place = {};
  bool isTeam = false; // or in one, further out
};
thread_local Inside inside;
thread_local std::vector<Inside> outside; // of `inside`, innermost last
thread_local WorkerTeam *chosen = nullptr;
thread_local std::unique_ptr<WorkerTeam> own;

/// Counts how often this process is a child of fork(): threads stay behind.
std::atomic<unsigned> forks{0};

/// How long a thread looks before it sleeps: longer than most kernels of one
/// thread take, so that a team is awake all through a run.
constexpr std::chrono::microseconds looking{200};
/// The clock, and who runs where, cost more than a look at the word.
constexpr int looksPerClock = 16;

} // namespace

void WorkerTeam::Word::wake() {
  if (sleepers.load() != 0)
    syscall(SYS_futex, &value, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr,
            0);
}

/// Notes the processor that the calling thread is on, and returns it.
static int note(std::atomic<int> &processor) {
  int now = sched_getcpu();
  if (processor.load(std::memory_order_relaxed) != now)
    processor.store(now, std::memory_order_relaxed);
  return now;
}

template <typename Done, typename Blocked>
void WorkerTeam::waitFor(Word &word, Done done, Blocked isBlocked) {
  auto begin = std::chrono::steady_clock::now();
  do {
    for (int i = 0; i < looksPerClock; ++i) {
      if (done())
        return;
      _mm_pause();
    }
  } while (!isBlocked() && std::chrono::steady_clock::now() - begin < looking);
  // Who changes the word now either sees a sleeper or is seen here.
  word.sleepers.fetch_add(1);
  for (uint32_t seen = word.value.load(); !done(); seen = word.value.load())
    syscall(SYS_futex, &word.value, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr,
            0);
  word.sleepers.fetch_sub(1);
}

WorkerTeam::WorkerTeam() : process(forks) {
  static const int atFork = pthread_atfork(nullptr, nullptr, [] { ++forks; });
  static_cast<void>(atFork);
}

WorkerTeam::~WorkerTeam() {
  for (std::unique_ptr<Worker> &worker : workers) {
    if (isOfParent()) {
      static_cast<void>(worker.release()); // a thread that nobody can join
      continue;
    }
    worker->size = 0;
    worker->starts.value.fetch_add(1);
    worker->starts.wake();
    worker->running.join();
  }
}

bool WorkerTeam::isOfParent() const { return process != forks; }

std::atomic<int> &WorkerTeam::processorOf(int thread) {
  return thread == 0 ? processor
                     : workers[static_cast<size_t>(thread - 1)]->processor;
}

/// Whether another thread of the team was last seen on the caller's processor:
/// it cannot go on there before the caller sleeps.
bool WorkerTeam::isInTheWay(int thread) {
  int mine = note(processorOf(thread));
  for (int other = 0; other < size; ++other)
    if (other != thread &&
        processorOf(other).load(std::memory_order_relaxed) == mine)
      return true;
  return false;
}

void WorkerTeam::serve(Worker &worker) {
  pthread_setname_np(pthread_self(), "npu-worker");
  for (uint32_t seen = 0;; ++seen) {
    waitFor(
        worker.starts,
        [&] {
          return worker.starts.value.load(std::memory_order_acquire) != seen;
        },
        [&] {
          return note(worker.processor) ==
                 processor.load(std::memory_order_relaxed);
        });
    if (worker.size == 0)
      return;
    inside = {this, {worker.thread, worker.size}, true};
    note(worker.processor);
    worker.body(worker.data);
    if (unfinished.value.fetch_sub(1) == 1)
      unfinished.wake();
  }
}

void WorkerTeam::addWorkers(int threads) {
  while (static_cast<int>(workers.size()) < threads - 1) {
    Worker &added = *workers.emplace_back(std::make_unique<Worker>());
    added.thread = static_cast<int>(workers.size());
    try {
      added.running = std::thread([this, &added] { serve(added); });
    } catch (const std::system_error &) {
      workers.pop_back();
      return;
    }
  }
}

int WorkerTeam::start(int threads, Body body, void *data) {
  addWorkers(threads);
  size = std::min(threads, static_cast<int>(workers.size()) + 1);
  note(processor);
  unfinished.value.store(static_cast<uint32_t>(size - 1),
                         std::memory_order_relaxed);
  for (int thread = 1; thread < size; ++thread) {
    Worker &worker = *workers[static_cast<size_t>(thread - 1)];
    worker.body = body;
    worker.data = data;
    worker.size = size;
    worker.starts.value.fetch_add(1);
    worker.starts.wake();
  }
  return size;
}

void WorkerTeam::finish() {
  waitFor(
      unfinished,
      [this] { return unfinished.value.load(std::memory_order_acquire) == 0; },
      [&] { return isInTheWay(0); });
}

void WorkerTeam::meet(int thread) {
  uint32_t before = meetings.value.load(std::memory_order_relaxed);
  if (met.fetch_add(1) == size - 1) {
    met.store(0, std::memory_order_relaxed);
    meetings.value.fetch_add(1);
    meetings.wake();
    return;
  }
  waitFor(
      meetings,
      [&] { return meetings.value.load(std::memory_order_acquire) != before; },
      [&] { return isInTheWay(thread); });
}

TeamScope::TeamScope(WorkerTeam &team) : old(chosen) { chosen = &team; }
TeamScope::~TeamScope() { chosen = old; }

static WorkerTeam &teamOfThread() {
  if (chosen && !chosen->isOfParent())
    return *chosen;
  if (!own || own->isOfParent())
    own = std::make_unique<WorkerTeam>();
  return *own;
}

void enterTeam(int threads, WorkerTeam::Body body, void *data) {
  outside.push_back(inside);
  if (inside.isTeam || threads <= 1) {
    inside = {nullptr, {}, inside.isTeam};
    return;
  }
  WorkerTeam &team = teamOfThread();
  inside = {&team, {0, team.start(threads, body, data)}, true};
}

void leaveTeam() {
  if (inside.team)
    inside.team->finish();
  inside = outside.back();
  outside.pop_back();
}

TeamPlace teamPlace() { return inside.place; }
bool isInTeam() { return inside.isTeam; }

void meetTeam() {
  if (inside.team)
    inside.team->meet(inside.place.thread);
}

static thread_local int ofLibraries = 0; // 0: nothing was set

void setThreads(int threads) { ofLibraries = threads; }

int currentThreads() {
  static const int processors =
      std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return ofLibraries > 0 ? ofLibraries : processors;
}

} // namespace npu::kernels
