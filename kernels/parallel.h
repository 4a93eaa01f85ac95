// SPDX-License-Identifier: Apache-2.0
//
// The one door to threads. Our loops and oneDNN's (onednn/openmp.cpp) run on
// one team (worker_team.h), so that no second one competes with it. Where
// somebody else brings threads, our loops use those, and oneDNN keeps to the
// thread that calls it.
#ifndef NPU_KERNELS_PARALLEL_H
#define NPU_KERNELS_PARALLEL_H

#include "kernels/worker_team.h"

#include <cstdint>
#include <functional>

namespace npu::kernels {

/// Threads of somebody else, as npu_host in npu.h has them: calls task(data, i)
/// once for each i below `count`, and returns when all have returned.
struct Pool {
  void *user = nullptr;
  void (*parallelFor)(void *user, int32_t count,
                      void (*task)(void *data, int32_t index),
                      void *data) = nullptr;
};

/// For a scope, what the calling thread starts runs on a pool; without a
/// function in it, on a team of our own as everywhere else.
class PoolScope {
public:
  explicit PoolScope(const Pool &pool);
  ~PoolScope();
  PoolScope(const PoolScope &) = delete;
  PoolScope &operator=(const PoolScope &) = delete;

private:
  const Pool *old;
};

/// Runs body(thread, threads) once per thread of a team of at most `threads`.
/// The team may come out smaller (inside another team it is one thread), so a
/// body must divide its work by the `threads` it is given.
void parallelFor(int threads, const std::function<void(int, int)> &body);

/// The processor notes in each thread that an operation was invalid: it met NaN
/// where it compares (also maxima), or made one. Loops of our own leave the
/// note as it was, so that after clearInvalid() it speaks of library kernels.
/// Of a pool, whose threads may be others each time, only the calling thread
/// runs such.
void clearInvalid(int threads);
bool sawInvalid(int threads);
/// Sets the calling thread's note, for a kernel that looked for itself.
void noteInvalid();

/// What a thread starts with: rounding to nearest, denormal numbers, no
/// exceptions that trap, no notes. Values are MXCSR's.
constexpr unsigned plainFloatState = 0x1f80;

/// Puts the calling thread's state of floats, its notes among it, back at the
/// end of a scope.
class FloatStateScope {
public:
  FloatStateScope();
  /// In the scope it is another.
  explicit FloatStateScope(unsigned during);
  ~FloatStateScope();
  FloatStateScope(const FloatStateScope &) = delete;
  FloatStateScope &operator=(const FloatStateScope &) = delete;

private:
  unsigned before;
};

/// The team for `work`: one thread where less than `each` would be left for
/// two, else all.
inline int teamFor(int64_t work, int64_t each, int threads) {
  return work >= 2 * each ? threads : 1;
}

/// `threads`, or 1 where the threads are a pool's: what libraries that the
/// calling thread starts may use.
int libraryThreads(int threads);

/// Sets the team size for a scope, and puts the old one back.
class ThreadScope {
public:
  explicit ThreadScope(int threads) : old(currentThreads()) {
    threads = libraryThreads(threads);
    if (old != threads)
      setThreads(threads);
    changed = old != threads;
  }
  ~ThreadScope() {
    if (changed)
      setThreads(old);
  }
  ThreadScope(const ThreadScope &) = delete;
  ThreadScope &operator=(const ThreadScope &) = delete;

private:
  int old;
  bool changed;
};

/// The part [begin, end) of `count` items that `thread` of `threads` does;
/// always the same for the same numbers.
struct Range {
  int64_t begin, end;
};
inline Range shareOf(int64_t count, int thread, int threads) {
  int64_t each = count / threads, rest = count % threads;
  int64_t begin = thread * each + (thread < rest ? thread : rest);
  return {begin, begin + each + (thread < rest ? 1 : 0)};
}

} // namespace npu::kernels

#endif // NPU_KERNELS_PARALLEL_H
