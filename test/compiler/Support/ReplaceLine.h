// SPDX-License-Identifier: Apache-2.0
#ifndef NPU_TEST_COMPILER_SUPPORT_REPLACELINE_H
#define NPU_TEST_COMPILER_SUPPORT_REPLACELINE_H

#include <string>

namespace npu {

/// `text` with its line `number` (from 1) replaced.
inline std::string replaceLine(const std::string &text, int number,
                               const std::string &line) {
  std::string changed;
  size_t start = 0;
  for (int at = 1; start < text.size(); ++at) {
    size_t end = text.find('\n', start) + 1;
    changed += at == number ? line + "\n" : text.substr(start, end - start);
    start = end;
  }
  return changed;
}

} // namespace npu

#endif // NPU_TEST_COMPILER_SUPPORT_REPLACELINE_H
