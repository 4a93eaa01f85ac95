// SPDX-License-Identifier: Apache-2.0
//
// An output that is wanted in memory: a file of a temporary folder, because lld
// writes files only; mapped, and gone with this object.
#ifndef NPU_COMPILER_API_OUTPUT_H
#define NPU_COMPILER_API_OUTPUT_H

#include "files/temporaries.h"

#include <cstdint>
#include <string>

namespace npu {

class MemoryOutput {
public:
  MemoryOutput() = default;
  ~MemoryOutput();
  MemoryOutput(const MemoryOutput &) = delete;
  MemoryOutput &operator=(const MemoryOutput &) = delete;

  /// Functions return an empty string, or one sentence.
  std::string makeFolder();
  const std::string &path() const { return file; }
  /// Once the file is written.
  std::string map();

  const void *data() const { return mapped; }
  uint64_t bytes() const { return size; }
  bool isMapped() const { return mapped != nullptr; }

private:
  files::TemporaryName folder;
  std::string file;
  void *mapped = nullptr;
  uint64_t size = 0;
};

} // namespace npu

#endif // NPU_COMPILER_API_OUTPUT_H
