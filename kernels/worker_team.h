// SPDX-License-Identifier: Apache-2.0
//
// Threads that wait for work beside the one that starts them. A kernel of some
// microseconds is worth two threads only if they meet in less than one: so they
// look for work a while before they sleep. Where that keeps from its processor
// the very thread that they wait for, they give way: beside another program a
// run is as slow as it must be and no slower.
#ifndef NPU_KERNELS_WORKER_TEAM_H
#define NPU_KERNELS_WORKER_TEAM_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace npu::kernels {

/// Which thread of how many the calling one is, in the innermost team.
struct TeamPlace {
  int thread = 0;
  int threads = 1;
};

/// Threads that are started together again and again, by one thread at a time.
class WorkerTeam {
public:
  using Body = void (*)(void *data);

  WorkerTeam();
  ~WorkerTeam();
  WorkerTeam(const WorkerTeam &) = delete;
  WorkerTeam &operator=(const WorkerTeam &) = delete;

  /// Has body(data) called by `threads` - 1 workers, and returns at once: the
  /// caller does its own part, then calls finish(). The team is smaller where
  /// the system gives no more threads; returns its size.
  int start(int threads, Body body, void *data);
  /// Returns when all workers have returned from the body.
  void finish();
  /// For bodies: returns when all threads of the team have called it. `thread`
  /// is the caller's number, 0 for the one that started the team.
  void meet(int thread);
  /// Made by a process of which this one is a fork: its threads are not here.
  bool isOfParent() const;

private:
  struct Worker;
  /// A number that one side changes and the other waits for.
  struct Word {
    std::atomic<uint32_t> value{0};
    std::atomic<uint32_t> sleepers{0};
    void wake();
  };
  template <typename Done, typename Blocked>
  static void waitFor(Word &word, Done done, Blocked isBlocked);
  std::atomic<int> &processorOf(int thread);
  bool isInTheWay(int thread);
  void addWorkers(int threads);
  void serve(Worker &worker);

  alignas(64) Word unfinished; // workers
  alignas(64) Word meetings;
  std::atomic<int> met{0};
  alignas(64) std::atomic<int> processor{-1}; // where the starting thread was
  std::vector<std::unique_ptr<Worker>> workers;
  int size = 1;
  unsigned process;
};

/// For a scope, teams that the calling thread enters are made of these threads;
/// elsewhere each thread has workers of its own.
class TeamScope {
public:
  explicit TeamScope(WorkerTeam &team);
  ~TeamScope();
  TeamScope(const TeamScope &) = delete;
  TeamScope &operator=(const TeamScope &) = delete;

private:
  WorkerTeam *old;
};

/// Enters a team of at most `threads`, which starts to call body(data); of one
/// thread inside another team. The caller calls the body, too, then
/// leaveTeam().
void enterTeam(int threads, WorkerTeam::Body body, void *data);
void leaveTeam();
/// Of the innermost team that the calling thread has entered or works in.
TeamPlace teamPlace();
bool isInTeam();
/// For bodies: waits for all threads of that team.
void meetTeam();

/// Team size that libraries started from the calling thread will ask for; all
/// processors where nothing was set.
void setThreads(int threads);
int currentThreads();

} // namespace npu::kernels

#endif // NPU_KERNELS_WORKER_TEAM_H
