// SPDX-License-Identifier: Apache-2.0

#include "files/last_words.h"

#include "files/crash_report.h"
#include "files/exit_codes.h"
#include "files/progress_line.h"
#include "files/temporaries.h"

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

namespace npu::files {
namespace {

const char *programName = "";
std::atomic<bool> isEnding{false};
const char *(*askCulprit)() = nullptr;
const char *const noThread =
    "cannot start another thread: too many run, or there is no memory left";

/// The main thread's stack may grow in here, and nothing else lies there.
uintptr_t stackBegin = 0, stackEnd = 0;
/// Handlers of signals run on this one.
alignas(16) char handlerStack[1 << 16];

void print(const char *text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0)
    _exit(exitMemory); // nobody listens
}

/// Neither allocates nor runs destructors: there may be nothing to do it with.
[[noreturn]] void end(const char *why) {
  if (isEnding.exchange(true)) // another thread is at it
    for (;;)
      pause();
  clearProgress();
  print(programName);
  print(": error: ");
  print(why);
  print("\n");
  removeTemporaries();
  _exit(exitMemory);
}

[[noreturn]] void endWithoutStack() {
  end("the input is nested too deeply: there is no stack left; raise the "
      "limit with ulimit -s");
}

/// An error of ours: the process ends as it would without us.
void crash(int number) {
  if (isEnding.exchange(true)) // another thread is at it
    for (;;)
      pause();
  clearProgress();
  reportCrash(programName, number);
  if (const char *other = culprit()) {
    print(programName);
    print(": error: crashed in plugin ");
    print(other);
    print(", please report it to whom the plugin is from\n");
  }
  removeTemporaries();
  std::signal(number, SIG_DFL);
  if (raise(number) != 0)
    _exit(exitMemory);
}

void onFault(int number, siginfo_t *info, void *) {
  auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  // A stack that cannot grow, for want of memory or because it is at its limit.
  bool isStack = address >= stackBegin && address < stackEnd;
  if (isMemoryGone())
    endWithoutMemory();
  if (isStack)
    endWithoutStack();
  crash(number);
}

void onTerminate() {
  try {
    if (std::exception_ptr current = std::current_exception())
      std::rethrow_exception(current);
  } catch (const std::bad_alloc &) {
    endWithoutMemory();
  } catch (const std::system_error &error) {
    if (error.code() == std::errc::resource_unavailable_try_again)
      end(noThread);
  } catch (...) {
  }
  std::abort();
}

void findStack() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return;
  void *begin = nullptr;
  size_t bytes = 0;
  constexpr uintptr_t guard = 1 << 20;
  if (pthread_attr_getstack(&attributes, &begin, &bytes) == 0) {
    stackBegin = reinterpret_cast<uintptr_t>(begin) - guard;
    stackEnd = reinterpret_cast<uintptr_t>(begin) + bytes;
  }
  pthread_attr_destroy(&attributes);
}

} // namespace

bool isMemoryGone() {
  // As large as what else would have failed.
  constexpr size_t bytes = size_t(256) << 20;
  void *probe = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (probe == MAP_FAILED)
    return true;
  munmap(probe, bytes);
  return false;
}

void setCulprit(const char *(*given)()) { askCulprit = given; }

const char *culprit() { return askCulprit ? askCulprit() : nullptr; }

void endWithoutMemory() {
  end("there is no memory left; give it more (ulimit -v, or a larger machine) "
      "or a smaller model");
}

void prepareLastWords(const char *program) {
  programName = program;
  std::set_new_handler(endWithoutMemory);
  std::set_terminate(onTerminate);
  findStack();
  stack_t stack = {};
  stack.ss_sp = handlerStack;
  stack.ss_size = sizeof(handlerStack);
  if (sigaltstack(&stack, nullptr) != 0)
    return;
  struct sigaction action = {};
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  action.sa_sigaction = onFault;
  for (int number : {SIGSEGV, SIGBUS})
    sigaction(number, &action, nullptr);
  action.sa_flags = SA_ONSTACK;
  action.sa_handler = crash;
  for (int number : {SIGABRT, SIGILL, SIGFPE})
    sigaction(number, &action, nullptr);
}

} // namespace npu::files
