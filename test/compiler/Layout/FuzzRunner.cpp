// SPDX-License-Identifier: Apache-2.0
#include "test/compiler/Layout/FuzzRunner.h"

#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <ctime>
#include <set>

using namespace npu;
using test::Coverage;
using test::Finding;
using test::FuzzOptions;
using test::FuzzResult;

namespace {

constexpr size_t mostText = 1 << 16;

/// Text in shared memory.
struct Note {
  char property[64];
  char detail[mostText];

  void write(const Finding &finding) {
    std::strncpy(property, finding.property.c_str(), sizeof(property) - 1);
    std::strncpy(detail, finding.detail.c_str(), sizeof(detail) - 1);
  }
};

/// What a worker tells while it runs. It waits after a finding until the
/// parent has taken it.
struct Desk {
  std::atomic<uint64_t> seed;
  std::atomic<bool> found;
  Coverage coverage;
  double endedSeconds;
  int64_t ended;
  Note note;
};

struct Office {
  std::atomic<uint64_t> next;
  std::atomic<bool> stop;
  Desk desks[64];
};

template <class T>
class Shared {
public:
  Shared()
      : memory(mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (memory == MAP_FAILED)
      std::abort();
  }
  ~Shared() { munmap(memory, sizeof(T)); }
  T *operator->() const { return static_cast<T *>(memory); }

private:
  void *memory;
};

void startTimer(__itimer_which_t which, double seconds) {
  itimerval timer = {};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec =
      static_cast<suseconds_t>((seconds - std::floor(seconds)) * 1e6);
  setitimer(which, &timer, nullptr);
}

double processorSeconds() {
  timespec time = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Ends the process if it is not called again, with 0, within so much time of
/// the processor: a busy machine lets everything take longer. What waits and
/// does not compute ends after ten times as long.
void endAfter(double seconds) {
  startTimer(ITIMER_PROF, seconds);
  startTimer(ITIMER_REAL, 10 * seconds);
}

Finding deathOf(int status, double hangSeconds) {
  int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (signal == SIGPROF || signal == SIGALRM)
    return {"hangs", "takes more than " +
                         std::to_string(static_cast<int>(hangSeconds * 1e3)) +
                         " ms"};
  return {"crash", signal ? std::string("signal ") + strsignal(signal)
                          : "exit code " + std::to_string(WEXITSTATUS(status))};
}

class Fuzzer {
public:
  Fuzzer(const FuzzOptions &options, const test::CheckSeed &check)
      : options(options), check(check), jobs(std::clamp(options.jobs, 1, 64)),
        start(std::chrono::steady_clock::now()) {}

  FuzzResult run() {
    office->next = options.seed;
    workers.resize(static_cast<size_t>(jobs));
    for (int i = 0; i < jobs; ++i)
      startWorker(i);
    for (int round = 1; running > 0; ++round) {
      usleep(20000);
      if (options.seconds > 0 && seconds() > options.seconds)
        office->stop = true;
      if (options.seconds > 0 && seconds() > options.seconds + 1)
        giveUp();
      for (int i = 0; i < jobs; ++i)
        attend(i);
      if (options.progress && round % 50 == 0)
        report();
    }
    for (int i = 0; i < jobs; ++i) {
      result.coverage += office->desks[i].coverage;
      result.endedSeconds += office->desks[i].endedSeconds;
      result.ended += office->desks[i].ended;
    }
    result.seconds = seconds();
    result.nextSeed = office->next;
    if (options.graphs > 0)
      result.nextSeed =
          std::min<uint64_t>(result.nextSeed, options.seed + options.graphs);
    return std::move(result);
  }

private:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  }

  void startWorker(int number) {
    pid_t pid = fork();
    if (pid < 0)
      std::abort();
    if (pid == 0) {
      work(office->desks[number]);
      _exit(0);
    }
    workers[static_cast<size_t>(number)] = pid;
    ++running;
  }

  void work(Desk &desk) {
    while (!office->stop) {
      uint64_t seed = office->next++;
      if (options.graphs > 0 &&
          seed >= options.seed + static_cast<uint64_t>(options.graphs))
        return;
      desk.seed = seed;
      double begin = processorSeconds();
      endAfter(options.hangSeconds);
      std::optional<Finding> finding = check(seed, desk.coverage);
      endAfter(0);
      desk.endedSeconds += processorSeconds() - begin;
      ++desk.ended;
      if (!finding)
        continue;
      desk.note.write(*finding);
      desk.found = true;
      while (desk.found)
        usleep(1000);
    }
  }

  /// Takes a worker's finding, or notes its death and hires another.
  void attend(int number) {
    Desk &desk = office->desks[number];
    pid_t &pid = workers[static_cast<size_t>(number)];
    if (desk.found) {
      take(desk.seed, {desk.note.property, desk.note.detail});
      desk.found = false;
    }
    int status = 0;
    if (pid == 0 || waitpid(pid, &status, WNOHANG) != pid)
      return;
    pid = 0;
    --running;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
      return;
    take(desk.seed, deathOf(status, options.hangSeconds));
    if (!office->stop)
      startWorker(number);
  }

  void giveUp() {
    for (int i = 0; i < jobs; ++i) {
      pid_t &pid = workers[static_cast<size_t>(i)];
      attend(i);
      if (pid == 0)
        continue;
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
      pid = 0;
      --running;
      result.givenUp.push_back(office->desks[i].seed);
    }
  }

  void take(uint64_t seed, Finding finding) {
    if (!known.insert(finding.property).second)
      return;
    result.findings.push_back({seed, std::move(finding)});
    if (static_cast<int>(result.findings.size()) >= options.mostFindings)
      office->stop = true;
  }

  void report() const {
    Coverage sum;
    for (int i = 0; i < jobs; ++i)
      sum += office->desks[i].coverage;
    std::fprintf(stderr, "\r%lld graphs, %.0f a second, %zu findings ",
                 static_cast<long long>(sum.cases),
                 static_cast<double>(sum.cases) / seconds(),
                 result.findings.size());
  }

  const FuzzOptions &options;
  const test::CheckSeed &check;
  int jobs;
  std::chrono::steady_clock::time_point start;
  Shared<Office> office;
  std::vector<pid_t> workers;
  int running = 0;
  std::set<std::string> known;
  FuzzResult result;
};

} // namespace

FuzzResult test::fuzz(const FuzzOptions &options, const CheckSeed &check) {
  return Fuzzer(options, check).run();
}

double test::trialSeconds(const FuzzOptions &options,
                          const FuzzResult &result) {
  double most = result.ended > 0 ? 10 * result.endedSeconds /
                                       static_cast<double>(result.ended)
                                 : options.hangSeconds / 10;
  return std::min(std::max(most, 1.0), options.hangSeconds);
}

std::optional<Finding>
test::checkIsolated(const std::function<std::optional<Finding>()> &check,
                    double hangSeconds) {
  Shared<Note> note;
  pid_t pid = fork();
  if (pid < 0)
    std::abort();
  if (pid == 0) {
    endAfter(hangSeconds);
    if (std::optional<Finding> finding = check())
      note->write(*finding);
    _exit(0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return deathOf(status, hangSeconds);
  if (!note->property[0])
    return std::nullopt;
  return Finding{note->property, note->detail};
}
