// SPDX-License-Identifier: Apache-2.0

#include "files/temporaries.h"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace npu::files {
namespace {

/// What a signal handler may read at any time: a list that only grows. Whoever
/// takes a name out of its place owns the text.
struct Place {
  std::atomic<char *> name{nullptr};
  Place *next = nullptr;
};
std::atomic<Place *> places{nullptr};

/// How many SignalsWait live; or `dying`: a handler is at work.
std::atomic<int> waiting{0};
constexpr int dying = -1;
std::atomic<int> pendingSignal{0};

std::atomic<char *> *enter(const std::string &path) {
  char *text = strdup(path.c_str());
  for (Place *place = places; place; place = place->next) {
    char *none = nullptr;
    if (place->name.compare_exchange_strong(none, text))
      return &place->name;
  }
  auto *place = new Place;
  place->name = text;
  place->next = places;
  while (!places.compare_exchange_weak(place->next, place))
    ;
  return &place->name;
}

/// A folder with the files in it. readdir() may allocate memory, which is not
/// safe in a signal handler; and other threads may make files meanwhile.
void removeFolder(const char *path) {
  constexpr int mostAttempts = 100;
  for (int attempt = 0; attempt < mostAttempts; ++attempt) {
    if (rmdir(path) == 0 || errno != ENOTEMPTY)
      return;
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    alignas(dirent64) char entries[4096];
    long bytes = syscall(SYS_getdents64, folder, entries, sizeof(entries));
    for (long at = 0; at < bytes;) {
      auto *entry = reinterpret_cast<dirent64 *>(entries + at);
      unlinkat(folder, entry->d_name, 0);
      at += entry->d_reclen;
    }
    close(folder);
  }
}

void removeWhole(const char *name) {
  if (unlink(name) != 0 && errno == EISDIR)
    removeFolder(name);
}

void endBySignal(int number) {
  int none = 0;
  if (!waiting.compare_exchange_strong(none, dying)) {
    pendingSignal = number;
    return;
  }
  removeTemporaries();
  std::signal(number, SIG_DFL);
  std::raise(number); // delivered when this handler returns
}

/// A descriptor that is closed would be given to the next file that is opened,
/// and what is printed would go into that file.
void openStandardStreams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
    if (fcntl(fd, F_GETFD) < 0)
      // The wrong way round, so that using it is an error.
      (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

} // namespace

void removeTemporaries() {
  for (Place *place = places; place; place = place->next)
    if (const char *name = place->name.exchange(nullptr))
      removeWhole(name);
}

void prepareProcess() {
  openStandardStreams();
  std::signal(SIGXFSZ, SIG_IGN);
  std::atexit(removeTemporaries);
  for (int number :
       {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXCPU, SIGABRT}) {
    struct sigaction action = {};
    // What the caller ignores (nohup) stays ignored.
    if (sigaction(number, nullptr, &action) != 0 ||
        action.sa_handler == SIG_IGN)
      continue;
    action = {};
    action.sa_handler = endBySignal;
    sigfillset(&action.sa_mask);
    sigaction(number, &action, nullptr);
  }
}

SignalsWait::SignalsWait() {
  int count = waiting;
  do {
    while (count == dying) { // in another thread; this one must not go on
      pause();
      count = waiting;
    }
  } while (!waiting.compare_exchange_weak(count, count + 1));
}

SignalsWait::~SignalsWait() {
  if (--waiting == 0)
    if (int number = pendingSignal.exchange(0))
      std::raise(number);
}

TemporaryName::TemporaryName(const std::string &path)
    : name(path), registered(enter(path)) {}

TemporaryName::TemporaryName(TemporaryName &&other) noexcept
    : name(std::exchange(other.name, "")),
      registered(std::exchange(other.registered, nullptr)) {}

TemporaryName &TemporaryName::operator=(TemporaryName &&other) noexcept {
  std::swap(name, other.name);
  std::swap(registered, other.registered);
  return *this;
}

void TemporaryName::remove() {
  if (registered)
    removeWhole(name.c_str());
  release();
}

void TemporaryName::release() {
  if (registered)
    free(registered->exchange(nullptr));
  registered = nullptr;
  name.clear();
}

TemporaryName makeTemporaryFile(const std::string &folder, int &fd) {
  SignalsWait wait;
  // mkstemp would make the file private; open() respects the umask. The name
  // does not have the target's in it, which may be as long as names can be.
  static std::atomic<uint64_t> made{0};
  do { // until no process of our number in another container has the name
    std::string path = folder + "/.npu-" + std::to_string(getpid()) + "-" +
                       std::to_string(made++);
    fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0)
      return TemporaryName(path);
  } while (errno == EEXIST);
  return {};
}

TemporaryName makeTemporaryFolder(const std::string &parent) {
  std::string path = parent + "/.npu-XXXXXX";
  SignalsWait wait;
  return mkdtemp(&path[0]) ? TemporaryName(path) : TemporaryName();
}

std::string folderForTemporaries() {
  const char *given = getenv("TMPDIR");
  return given && *given ? given : "/tmp";
}

} // namespace npu::files
