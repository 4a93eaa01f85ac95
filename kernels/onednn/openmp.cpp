// SPDX-License-Identifier: Apache-2.0
//
// The functions of OpenMP's runtime that oneDNN's library calls, on our teams:
// the build renames them in its copy of the library (cmake/OneDnn.cmake), so
// that nobody else in a process meets them. What they must do is written in
// libgomp's manual, "The libgomp ABI".

#include "kernels/parallel.h"
#include "kernels/worker_team.h"

#include <algorithm>

using namespace npu::kernels;

namespace {

/// The part of a loop that the calling thread does: every `step`-th piece.
struct Pieces {
  long next = 0, end = 0; // of iterations, from 0
  long piece = 0, step = 0;
  long start = 0, increment = 1;
};
thread_local Pieces pieces;

} // namespace

// NOLINTBEGIN(readability-identifier-naming): as in libgomp, but the prefix
#define NPU_FOR_ONEDNN __attribute__((visibility("default"), used))
extern "C" {

NPU_FOR_ONEDNN void npu_omp_parallel_start(void (*body)(void *), void *data,
                                           unsigned threads) {
  enterTeam(threads ? static_cast<int>(threads) : currentThreads(), body, data);
}
NPU_FOR_ONEDNN void npu_omp_parallel_end() { leaveTeam(); }
NPU_FOR_ONEDNN void npu_omp_barrier() { meetTeam(); }
NPU_FOR_ONEDNN int npu_omp_get_thread_num() { return teamPlace().thread; }
NPU_FOR_ONEDNN int npu_omp_get_num_threads() { return teamPlace().threads; }
NPU_FOR_ONEDNN int npu_omp_get_max_threads() { return currentThreads(); }
NPU_FOR_ONEDNN int npu_omp_in_parallel() { return isInTeam() ? 1 : 0; }

/// The calling thread's next iterations [*begin, *end); false: no more.
NPU_FOR_ONEDNN bool npu_omp_loop_static_next(long *begin, long *end) {
  if (pieces.next >= pieces.end)
    return false;
  long last = std::min(pieces.next + pieces.piece, pieces.end);
  *begin = pieces.start + pieces.next * pieces.increment;
  *end = pieces.start + last * pieces.increment;
  pieces.next += pieces.step;
  return true;
}

/// Divides the iterations from `start` to below `stop` (above, if `increment`
/// is negative) in pieces of `chunk` that threads take in turn; 0: in one piece
/// for each.
NPU_FOR_ONEDNN bool npu_omp_loop_static_start(long start, long stop,
                                              long increment, long chunk,
                                              long *begin, long *end) {
  TeamPlace place = teamPlace();
  long towards = increment > 0 ? 1 : -1;
  long count = std::max(0L, (stop - start + increment - towards) / increment);
  if (chunk > 0) {
    pieces = {place.thread * chunk,  count, chunk,
              place.threads * chunk, start, increment};
  } else {
    Range share = shareOf(count, place.thread, place.threads);
    pieces = {share.begin,         share.end, std::max(1L, count),
              std::max(1L, count), start,     increment};
  }
  return npu_omp_loop_static_next(begin, end);
}
NPU_FOR_ONEDNN void npu_omp_loop_end_nowait() {}

} // extern "C"
// NOLINTEND(readability-identifier-naming)
