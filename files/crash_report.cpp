// SPDX-License-Identifier: Apache-2.0
//
// All that needs memory is made ready beforehand: within the handler nothing
// is allocated.
#include "files/crash_report.h"

#include "files/last_words.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <execinfo.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace npu::files {
namespace {

constexpr int mostFrames = 256;
/// How long the program may take to come to the stage again.
constexpr unsigned secondsAgain = 60;

bool isPrepared = false;
std::string about; // versions and command line
char stageName[64] = "start";
std::string_view inputText;
std::vector<std::string> command;
std::vector<char *> commandWords; // of `command`, for execv

void print(int file, std::string_view text) {
  while (!text.empty()) {
    ssize_t written = write(file, text.data(), text.size());
    if (written <= 0)
      return;
    text.remove_prefix(static_cast<size_t>(written));
  }
}

void printNumber(int file, int number) {
  char text[16];
  int size = std::snprintf(text, sizeof(text), "%d", number);
  print(file, {text, static_cast<size_t>(size)});
}

/// A path within the folder.
struct Path {
  char text[512];
  Path(const char *folder, const char *name) {
    std::snprintf(text, sizeof(text), "%s/%s", folder, name);
  }
  int create() const {
    return open(text, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  }
};

/// In the current folder, or that of temporary files.
bool makeFolder(const char *program, char (&folder)[400]) {
  const char *temporary = std::getenv("TMPDIR");
  for (const char *place : {".", temporary ? temporary : "/tmp"}) {
    std::snprintf(folder, sizeof(folder), "%s/%s-crash-XXXXXX", place, program);
    if (mkdtemp(folder))
      return true;
  }
  return false;
}

void writeReport(const char *folder, int signal) {
  int file = Path(folder, "report.txt").create();
  if (file < 0)
    return;
  print(file, about);
  print(file, "signal: ");
  printNumber(file, signal);
  print(file, "\nstage: ");
  print(file, stageName);
  if (const char *plugin = culprit()) {
    print(file, "\nplugin: ");
    print(file, plugin);
  }
  print(file, "\nstack:\n");
  void *frames[mostFrames];
  backtrace_symbols_fd(frames, backtrace(frames, mostFrames), file);
  close(file);
}

/// What the same program with other words writes to its standard output.
void runAgain(int output) {
  pid_t child = fork();
  if (child == 0) {
    alarm(secondsAgain);
    int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDERR_FILENO);
    dup2(output, STDOUT_FILENO);
    setenv(noCrashReport, "1", 1);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    execv("/proc/self/exe", commandWords.data());
    _exit(1);
  }
  if (child > 0)
    waitpid(child, nullptr, 0);
}

void writeInput(const char *folder) {
  if (inputText.empty() && command.empty())
    return;
  Path path(folder, "before.mlir");
  int file = path.create();
  if (file < 0)
    return;
  if (command.empty())
    print(file, inputText);
  else
    runAgain(file);
  struct stat status = {};
  if (fstat(file, &status) == 0 && status.st_size == 0)
    unlink(path.text);
  close(file);
}

} // namespace

void prepareCrashReport(const std::string &versions, int argc, char **argv) {
  about = "versions: " + versions + "\ncommand:";
  for (int i = 0; i < argc; ++i)
    about += std::string(" ") + argv[i];
  about += "\n";
  void *frame = nullptr;
  backtrace(&frame, 1); // loads what it needs
  isPrepared = !std::getenv(noCrashReport);
}

void setCrashStage(std::string_view stage) {
  std::snprintf(stageName, sizeof(stageName), "%.*s",
                static_cast<int>(stage.size()), stage.data());
}

void setCrashInput(std::string_view text) { inputText = text; }

void setCrashCommand(std::vector<std::string> words) {
  command = std::move(words);
  commandWords.clear();
  for (std::string &word : command)
    commandWords.push_back(word.data());
  commandWords.push_back(nullptr);
}

void reportCrash(const char *program, int signal) {
  char folder[400];
  if (!isPrepared)
    return;
  isPrepared = false; // a crash in here is none of its own
  if (!makeFolder(program, folder))
    return;
  writeReport(folder, signal);
  writeInput(folder);
  print(STDERR_FILENO, program);
  print(STDERR_FILENO, ": error: crashed at '");
  print(STDERR_FILENO, stageName);
  print(STDERR_FILENO, "'; what shows why is in ");
  print(STDERR_FILENO, folder);
  print(STDERR_FILENO, ", please report it with the model\n");
}

} // namespace npu::files
