// SPDX-License-Identifier: Apache-2.0
//
// npuc.h with less to write: for tests.
#ifndef NPU_TEST_COMPILER_API_COMPILE_H
#define NPU_TEST_COMPILER_API_COMPILE_H

#include "npuc/npuc.h"

#include <string>
#include <utility>
#include <vector>

namespace npu::test {

/// A convolution in front of a transposition; its input is "in".
extern const char *const module;

struct Request : npuc_request {
  /// Of `text` in memory; the result stays there, too.
  explicit Request(const std::string &text, const char *name = "net.mlir");
};

using Words = std::vector<std::pair<std::string, std::string>>;

/// One compilation; keeps the messages it was told.
class Compilation {
public:
  explicit Compilation(const Words &options = {});
  ~Compilation();
  Compilation(const Compilation &) = delete;
  Compilation &operator=(const Compilation &) = delete;

  npuc_code create(npuc_request request);
  npuc_code run(npuc_stage last);
  /// The text; of a failure the message, behind "!".
  std::string text(npuc_text what);
  std::string output();
  std::string message() const { return status.message; }

  npuc_options *options = nullptr;
  npuc_compilation *compilation = nullptr;
  npuc_status status = {};
  std::vector<std::string> shown, nodes, files, steps;
};

} // namespace npu::test

#endif // NPU_TEST_COMPILER_API_COMPILE_H
