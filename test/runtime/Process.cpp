// SPDX-License-Identifier: Apache-2.0

#include "test/runtime/Process.h"

#include "test/runtime/DemoFile.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace npu::test {

ProcessResult runProcess(const std::vector<std::string> &command,
                         uint64_t fileLimit) {
  std::vector<char *> arguments;
  for (const std::string &argument : command)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  // Pipes are no files: the limit does not touch what the process prints.
  int out[2], err[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0)
    return {};
  pid_t child = fork();
  if (child == 0) {
    dup2(out[1], STDOUT_FILENO);
    dup2(err[1], STDERR_FILENO);
    rlimit limit = {fileLimit, fileLimit};
    if (fileLimit != 0)
      setrlimit(RLIMIT_FSIZE, &limit);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  close(out[1]);
  close(err[1]);
  auto drain = [](int fd) {
    std::string text;
    char chunk[4096];
    for (ssize_t got; (got = read(fd, chunk, sizeof(chunk))) > 0;)
      text.append(chunk, static_cast<size_t>(got));
    close(fd);
    return text;
  };
  ProcessResult result;
  result.out = drain(out[0]);
  result.err = drain(err[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status))
    result.exitCode = WEXITSTATUS(status);
  return result;
}

} // namespace npu::test
