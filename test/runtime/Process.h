// SPDX-License-Identifier: Apache-2.0
#ifndef NPU_TEST_RUNTIME_PROCESS_H
#define NPU_TEST_RUNTIME_PROCESS_H

#include <cstdint>
#include <string>
#include <vector>

namespace npu::test {

struct ProcessResult {
  int exitCode = -1; ///< -1: ended by a signal
  std::string out;
  std::string err;
};

/// Runs a program and waits for it. Files it writes may grow to `fileLimit`
/// bytes (0: no limit).
ProcessResult runProcess(const std::vector<std::string> &command,
                         uint64_t fileLimit = 0);

} // namespace npu::test

#endif // NPU_TEST_RUNTIME_PROCESS_H
