// SPDX-License-Identifier: Apache-2.0

#include "files/standard_output.h"

#include "files/exit_codes.h"
#include "files/output_files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

namespace npu::files {

std::string print(const std::string &text) {
  OutputFiles files;
  return files.write(standardOutput, text);
}

int finishOutput(const char *program, int code) {
  errno = 0;
  bool arrived = static_cast<bool>(std::cout.flush());
  arrived &= fflush(stdout) == 0 && !ferror(stdout);
  if (arrived)
    return code;
  std::cerr << program << ": error: cannot write to standard output: "
            << (errno ? strerror(errno) : "a write failed")
            << "; free some space or write elsewhere\n";
  return code ? code : exitOutput;
}

} // namespace npu::files
