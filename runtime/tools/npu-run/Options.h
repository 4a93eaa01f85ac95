// SPDX-License-Identifier: Apache-2.0
#ifndef NPU_RUNTIME_TOOLS_NPU_RUN_OPTIONS_H
#define NPU_RUNTIME_TOOLS_NPU_RUN_OPTIONS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace npu::tools {

/// By the number of an npu_execute.
inline const std::vector<std::string> executeNames = {"kernels", "chip",
                                                      "chip-unchecked"};

struct Options {
  std::string program;
  std::vector<std::string> inputs;              ///< NAME=FILE
  std::vector<std::string> outputs;             ///< NAME=FILE
  std::vector<std::string> expects;             ///< NAME=FILE
  std::vector<std::string> statesIn, statesOut; ///< NAME=FILE
  std::vector<std::string> plugins;             ///< paths
  double rtol = 1e-3;
  double atol = 1e-4;
  /// Runs in a row, each after the other's states; files hold them all. 0: one
  /// run, files without a dimension for it.
  int steps = 0;
  int repeat = 1;
  int warmup = 0;
  int threads = 0;
  /// Bytes that a run may take; --budget=memory=N sets another number.
  uint64_t memory = uint64_t(1) << 30;
  std::optional<uint64_t> randomSeed;
  bool profile = false;
  std::string profileFile; ///< empty: a table on stdout
  std::string traceFile;
  bool json = false;
  std::string execute = "kernels"; ///< of executeNames
  /// Only the chip's time; nothing runs.
  bool simulateOnly = false;

  /// Runs in a row.
  int series() const { return steps > 0 ? steps : 1; }
  bool needsKernelTimes() const {
    return profile || json || !traceFile.empty();
  }
};

/// Returns the exit code if the program is to end at once (--help, --version,
/// bad usage; the text is printed).
std::optional<int> parseOptions(int argc, char **argv, Options &options);

} // namespace npu::tools

#endif // NPU_RUNTIME_TOOLS_NPU_RUN_OPTIONS_H
