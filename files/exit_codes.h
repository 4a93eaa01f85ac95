// SPDX-License-Identifier: Apache-2.0
//
// The exit codes of all programs, so that a script need not know which one it
// runs. docs/exit-codes.md is the same table; a test holds it to this one.
#ifndef NPU_FILES_EXIT_CODES_H
#define NPU_FILES_EXIT_CODES_H

#include <string>
#include <vector>

namespace npu::files {

enum ExitCode {
  exitSuccess = 0,
  exitModel = 1,
  exitUsage = 2,
  exitOutput = 3,
  exitBudget = 4,
  exitUnsupported = 5,
  exitMemory = 6,
  exitUnproved = 7,
  exitInput = 8
};

/// What a code means in every program.
const char *meaningOf(ExitCode code);

/// "  0  success" and so on, one line each, for --help.
std::string exitCodeLines(const std::vector<ExitCode> &codes);

} // namespace npu::files

#endif // NPU_FILES_EXIT_CODES_H
