// SPDX-License-Identifier: Apache-2.0
//
// Runs a tool again and again: a process of its own each time, without loading
// its libraries each time. Linked with the tool's library; fork_server.py
// speaks to it. Each line of standard input is the file that takes the tool's
// messages, and its arguments, parted by tabs; the tool runs in that file's
// folder. The answer is a line: the exit code, or minus the signal; seconds of
// the processor; the most memory in bytes. The server's arguments are the most
// seconds of a run [600] and the most bytes of its memory [no limit]: above
// them a signal ends it.
#include "files/tool_main.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

static std::vector<std::string> splitLine(const std::string &line) {
  std::vector<std::string> words;
  std::istringstream stream(line);
  for (std::string word; std::getline(stream, word, '\t');)
    words.push_back(word);
  return words;
}

[[noreturn]] static void runTool(std::vector<std::string> words,
                                 unsigned seconds, rlim_t memory) {
  const std::string &path = words.front();
  int nothing = open("/dev/null", O_RDONLY);
  int messages = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (nothing < 0 || messages < 0 || dup2(nothing, STDIN_FILENO) < 0 ||
      dup2(messages, STDOUT_FILENO) < 0 || dup2(messages, STDERR_FILENO) < 0 ||
      chdir(path.substr(0, path.rfind('/') + 1).c_str()) != 0)
    _exit(127);
  rlimit limit = {memory, memory};
  if (memory != RLIM_INFINITY && setrlimit(RLIMIT_AS, &limit) != 0)
    _exit(127);
  alarm(seconds);
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::exit(toolMain(static_cast<int>(arguments.size()) - 1, arguments.data()));
}

static double secondsOf(const timeval &time) {
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_usec) * 1e-6;
}

int main(int argc, char **argv) {
  unsigned seconds =
      argc > 1 ? static_cast<unsigned>(std::stoul(argv[1])) : 600;
  rlim_t memory = argc > 2 ? std::stoull(argv[2]) : RLIM_INFINITY;
  for (std::string line; std::getline(std::cin, line);) {
    std::vector<std::string> words = splitLine(line);
    pid_t child = words.empty() ? -1 : fork();
    if (child == 0)
      runTool(words, seconds, memory);
    int status = 0;
    rusage usage = {};
    if (child < 0 || wait4(child, &status, 0, &usage) != child)
      return 1;
    std::cout << (WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status))
              << ' ' << secondsOf(usage.ru_utime) + secondsOf(usage.ru_stime)
              << ' ' << usage.ru_maxrss * 1024 << std::endl;
  }
  return 0;
}
