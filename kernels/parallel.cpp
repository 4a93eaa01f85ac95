// SPDX-License-Identifier: Apache-2.0

#include "kernels/parallel.h"

#include "kernels/worker_team.h"

#include <atomic>
#include <utility>
#include <xmmintrin.h>

namespace npu::kernels {

static thread_local const Pool *pool = nullptr;
/// Inside a pool's task: a team in a team is one thread.
static thread_local bool isInTask = false;

PoolScope::PoolScope(const Pool &chosen) : old(pool) {
  pool = chosen.parallelFor ? &chosen : nullptr;
}
PoolScope::~PoolScope() { pool = old; }

namespace {
struct Job {
  const std::function<void(int, int)> &body;
  int threads;
};
} // namespace

static void runTask(void *data, int32_t index) {
  const Job &job = *static_cast<const Job *>(data);
  bool wasInTask = std::exchange(isInTask, true);
  {
    ThreadScope scope(1);
    job.body(index, job.threads);
  }
  isInTask = wasInTask;
}

static void inTeam(int threads, const std::function<void(int, int)> &body) {
  if (threads <= 1 || isInTask) {
    body(0, 1);
    return;
  }
  if (pool) {
    Job job = {body, threads};
    pool->parallelFor(pool->user, threads, runTask, &job);
    return;
  }
  auto call = [](void *data) {
    TeamPlace place = teamPlace();
    (*static_cast<const std::function<void(int, int)> *>(data))(place.thread,
                                                                place.threads);
  };
  struct Leave {
    ~Leave() { leaveTeam(); }
  };
  void *data = const_cast<std::function<void(int, int)> *>(&body);
  enterTeam(threads, call, data);
  Leave atEnd;
  call(data);
}

FloatStateScope::FloatStateScope() : before(_mm_getcsr()) {}
FloatStateScope::FloatStateScope(unsigned during) : FloatStateScope() {
  _mm_setcsr(during);
}
FloatStateScope::~FloatStateScope() { _mm_setcsr(before); }

void parallelFor(int threads, const std::function<void(int, int)> &body) {
  inTeam(threads, [&](int thread, int count) {
    FloatStateScope notes;
    body(thread, count);
  });
}

/// On each thread that library kernels run on.
static void onLibraryThreads(int threads,
                             const std::function<void(int, int)> &body) {
  inTeam(libraryThreads(threads), body);
}

void clearInvalid(int threads) {
  onLibraryThreads(threads, [](int, int) {
    _mm_setcsr(_mm_getcsr() & ~static_cast<unsigned>(_MM_EXCEPT_INVALID));
  });
}

void noteInvalid() {
  _mm_setcsr(_mm_getcsr() | static_cast<unsigned>(_MM_EXCEPT_INVALID));
}

bool sawInvalid(int threads) {
  std::atomic<bool> saw{false};
  onLibraryThreads(threads, [&](int, int) {
    if (_mm_getcsr() & _MM_EXCEPT_INVALID)
      saw.store(true, std::memory_order_relaxed);
  });
  return saw;
}

int libraryThreads(int threads) { return pool || isInTask ? 1 : threads; }

} // namespace npu::kernels
