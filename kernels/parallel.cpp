// SPDX-License-Identifier: Apache-2.0

#include "kernels/parallel.h"

#include <atomic>
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

static void inTeam(int threads, const std::function<void(int, int)> &body) {
  if (threads <= 1) {
    body(0, 1);
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

void clearInvalid(int threads) {
  inTeam(threads, [](int, int) {
    _mm_setcsr(_mm_getcsr() & ~static_cast<unsigned>(_MM_EXCEPT_INVALID));
  });
}

void noteInvalid() {
  _mm_setcsr(_mm_getcsr() | static_cast<unsigned>(_MM_EXCEPT_INVALID));
}

bool sawInvalid(int threads) {
  std::atomic<bool> saw{false};
  inTeam(threads, [&](int, int) {
    if (_mm_getcsr() & _MM_EXCEPT_INVALID)
      saw.store(true, std::memory_order_relaxed);
  });
  return saw;
}

void setThreads(int threads) { omp_set_num_threads(threads); }

int currentThreads() { return omp_get_max_threads(); }

} // namespace npu::kernels
