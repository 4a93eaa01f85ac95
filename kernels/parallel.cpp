// SPDX-License-Identifier: Apache-2.0

#include "kernels/parallel.h"

#include <atomic>
#include <utility>
#include <xmmintrin.h>

// libgomp's entries, stable since GCC 4.9. clang's own -fopenmp would bring a
// second OpenMP runtime, with a second team that fights oneDNN's.
// NOLINTBEGIN(readability-identifier-naming): not our names
extern "C" {
void GOMP_parallel(void (*body)(void *), void *data, unsigned threads,
                   unsigned flags);
int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
void omp_set_num_threads(int threads);
}
// NOLINTEND(readability-identifier-naming)

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
    auto *body = static_cast<const std::function<void(int, int)> *>(data);
    (*body)(omp_get_thread_num(), omp_get_num_threads());
  };
  GOMP_parallel(call, const_cast<std::function<void(int, int)> *>(&body),
                static_cast<unsigned>(threads), 0);
}

KeepInvalid::KeepInvalid() : state(_mm_getcsr()) {}
KeepInvalid::~KeepInvalid() { _mm_setcsr(state); }

void parallelFor(int threads, const std::function<void(int, int)> &body) {
  inTeam(threads, [&](int thread, int count) {
    KeepInvalid keep;
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

void setThreads(int threads) { omp_set_num_threads(threads); }

int currentThreads() { return omp_get_max_threads(); }

int libraryThreads(int threads) { return pool || isInTask ? 1 : threads; }

} // namespace npu::kernels
