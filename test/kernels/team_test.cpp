// SPDX-License-Identifier: Apache-2.0
//
// Teams: who runs what, once, also asleep, nested, beside each other, behind
// fork(), and through the functions that oneDNN's library calls.

#include "kernels/parallel.h"

#include <array>
#include <chrono>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern "C" {
void npu_omp_parallel_start(void (*body)(void *), void *data, unsigned threads);
void npu_omp_parallel_end();
void npu_omp_barrier();
int npu_omp_get_thread_num();
int npu_omp_get_num_threads();
int npu_omp_get_max_threads();
int npu_omp_in_parallel();
bool npu_omp_loop_static_start(long start, long stop, long increment,
                               long chunk, long *begin, long *end);
bool npu_omp_loop_static_next(long *begin, long *end);
void npu_omp_loop_end_nowait();
}

namespace npu::kernels {
namespace {

/// How many threads of `threads` took part, each once.
int countTeam(int threads) {
  std::vector<std::atomic<int>> calls(static_cast<size_t>(threads));
  std::atomic<int> size{0};
  parallelFor(threads, [&](int thread, int team) {
    ++calls[static_cast<size_t>(thread)];
    size = team;
  });
  int all = 0;
  for (int thread = 0; thread < threads; ++thread) {
    EXPECT_EQ(calls[static_cast<size_t>(thread)], thread < size ? 1 : 0);
    all += calls[static_cast<size_t>(thread)];
  }
  return all;
}

TEST(Team, RunsEachThreadOnceWhateverItsSizeWasBefore) {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    int threads = 1 + static_cast<int>(random() % 5);
    ASSERT_EQ(countTeam(threads), threads);
  }
}

TEST(Team, WakesThreadsThatSleep) {
  for (int i = 0; i < 30; ++i) {
    ASSERT_EQ(countTeam(3), 3);
    std::this_thread::sleep_for(std::chrono::microseconds(100 * (i % 6)));
  }
  // The starting thread sleeps, too, while it waits for a worker.
  parallelFor(2, [](int thread, int) {
    if (thread == 1)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
  });
}

TEST(Team, IsOneThreadInsideAnother) {
  std::atomic<int> inner{0};
  parallelFor(2, [&](int thread, int) {
    TeamPlace before = teamPlace();
    EXPECT_EQ(before.thread, thread);
    for (int depth = 0; depth < 2; ++depth)
      parallelFor(2, [&](int number, int threads) {
        EXPECT_EQ(number, 0);
        EXPECT_EQ(threads, 1);
        EXPECT_TRUE(isInTeam());
        parallelFor(2, [](int, int innermost) { EXPECT_EQ(innermost, 1); });
        ++inner;
      });
    EXPECT_EQ(teamPlace().thread, before.thread);
    EXPECT_EQ(teamPlace().threads, before.threads);
  });
  EXPECT_EQ(inner, 4);
  EXPECT_FALSE(isInTeam());
}

TEST(Team, OfEachThreadItsOwn) {
  std::vector<std::thread> owners;
  std::atomic<int> all{0};
  for (int owner = 0; owner < 4; ++owner)
    owners.emplace_back([&] {
      for (int i = 0; i < 500; ++i)
        all += countTeam(2);
    });
  for (std::thread &owner : owners)
    owner.join();
  EXPECT_EQ(all, 4 * 500 * 2);
}

TEST(Team, IsChosenForAScope) {
  WorkerTeam team;
  std::thread::id mine, other;
  auto worker = [](std::thread::id &id) {
    parallelFor(2, [&](int thread, int) {
      if (thread == 1)
        id = std::this_thread::get_id();
    });
  };
  {
    TeamScope scope(team);
    worker(mine);
  }
  worker(other);
  EXPECT_NE(mine, other);
  std::thread([&] { // whoever uses it
    TeamScope scope(team);
    worker(other);
  })
      .join();
  EXPECT_EQ(mine, other);
}

/// What a child process that runs `body` exits with.
template <typename Body>
int exitOfChild(Body body) {
  pid_t child = fork();
  if (child == 0)
    _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#if !__has_feature(thread_sanitizer) // forbids threads in a fork
TEST(Team, IsMadeAnewInAFork) {
  WorkerTeam team;
  TeamScope scope(team);
  ASSERT_EQ(countTeam(3), 3);
  EXPECT_EQ(exitOfChild([] { return countTeam(3); }), 3);
  EXPECT_EQ(countTeam(3), 3);
}

#if !__has_feature(address_sanitizer)
TEST(Team, IsSmallerWhereTheSystemGivesNoThreads) {
  EXPECT_EQ(exitOfChild([] {
              rlimit none = {0, 0};
              setrlimit(RLIMIT_AS, &none); // no stacks but those left over
              return countTeam(16) < 16 ? 0 : 1;
            }),
            0);
}
#endif
#endif

/// A parallel region, as gcc writes one.
template <typename Body>
void region(unsigned threads, Body &body) {
  auto call = [](void *data) { (*static_cast<Body *>(data))(); };
  npu_omp_parallel_start(call, &body, threads);
  call(&body);
  npu_omp_parallel_end();
}

TEST(OpenMp, DividesLoopsOnce) {
  std::mt19937 random(2);
  auto below = [&](int n) { return static_cast<long>(random()) % n; };
  for (int i = 0; i < 2000; ++i) {
    long start = below(41) - 20, count = below(30), chunk = below(6);
    long increment = (1 + below(4)) * (below(2) ? 1 : -1);
    // Up to one step further than the last iteration.
    long stop = start + count * increment;
    if (count > 0)
      stop -= below(static_cast<int>(std::abs(increment))) *
              (increment > 0 ? 1 : -1);
    std::array<std::atomic<int>, 30> done = {};
    auto body = [&] {
      long begin, end;
      if (npu_omp_loop_static_start(start, stop, increment, chunk, &begin,
                                    &end))
        do
          for (long at = begin; increment > 0 ? at < end : at > end;
               at += increment)
            ++done[static_cast<size_t>((at - start) / increment)];
        while (npu_omp_loop_static_next(&begin, &end));
      npu_omp_loop_end_nowait();
    };
    region(static_cast<unsigned>(1 + below(4)), body);
    for (long at = 0; at < 30; ++at)
      ASSERT_EQ(done[static_cast<size_t>(at)], at < count ? 1 : 0)
          << start << " " << stop << " " << increment << " " << chunk;
  }
}

TEST(OpenMp, MeetsAtBarriers) {
  for (unsigned threads : {1U, 2U, 4U}) {
    std::atomic<unsigned> arrived{0};
    auto body = [&] {
      EXPECT_EQ(npu_omp_get_num_threads(), static_cast<int>(threads));
      for (unsigned round = 1; round <= 300; ++round) {
        ++arrived;
        if (round % 100 == 0 && npu_omp_get_thread_num() == 1)
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        npu_omp_barrier();
        EXPECT_GE(arrived, round * threads);
        npu_omp_barrier();
        EXPECT_LE(arrived, (round + 1) * threads);
      }
    };
    region(threads, body);
    EXPECT_EQ(arrived, 300 * threads);
  }
}

TEST(OpenMp, AsksForWhatIsSet) {
  ThreadScope scope(3);
  EXPECT_EQ(npu_omp_get_max_threads(), 3);
  EXPECT_EQ(npu_omp_in_parallel(), 0);
  std::atomic<int> calls{0};
  auto body = [&] {
    ++calls;
    EXPECT_EQ(npu_omp_in_parallel(), 1);
  };
  region(0, body);
  EXPECT_EQ(calls, 3);
}

} // namespace
} // namespace npu::kernels
