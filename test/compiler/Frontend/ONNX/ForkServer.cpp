// SPDX-License-Identifier: Apache-2.0
//
// Runs a tool again and again for onnx_cases.py: a process of its own each
// time, without loading its libraries each time. Linked with the tool's
// sources, whose main is compiled as toolMain. Each line of standard input is
// the file that takes the tool's messages, and its arguments, parted by tabs;
// the answer is a line with the exit code, or minus the signal.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

int toolMain(int argc, char **argv);

static std::vector<std::string> splitLine(const std::string &line) {
  std::vector<std::string> words;
  std::istringstream stream(line);
  for (std::string word; std::getline(stream, word, '\t');)
    words.push_back(word);
  return words;
}

[[noreturn]] static void runTool(std::vector<std::string> words) {
  int messages =
      open(words.front().c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (messages < 0 || dup2(messages, STDOUT_FILENO) < 0 ||
      dup2(messages, STDERR_FILENO) < 0)
    _exit(127);
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  std::exit(toolMain(static_cast<int>(arguments.size()), arguments.data()));
}

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::vector<std::string> words = splitLine(line);
    pid_t child = words.empty() ? -1 : fork();
    if (child == 0)
      runTool(words);
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
      return 1;
    std::cout << (WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status))
              << std::endl;
  }
  return 0;
}
