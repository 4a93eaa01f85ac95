// SPDX-License-Identifier: Apache-2.0
//
// Files of others as input: regular files only, so that no pipe is waited for
// and no device read without end; read with read(), so that a file that shrinks
// meanwhile is an error and not a signal.
#ifndef NPU_FILES_INPUT_FILE_H
#define NPU_FILES_INPUT_FILE_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace npu::files {

/// Functions return an empty string, or one clause: "cannot be read: ...", "is
/// not a regular file".
class InputFile {
public:
  InputFile() = default;
  ~InputFile();
  InputFile(const InputFile &) = delete;
  InputFile &operator=(const InputFile &) = delete;

  std::string open(const std::string &path);
  /// Exactly these bytes, or it "is cut short".
  std::string readAt(void *data, size_t bytes, uint64_t offset) const;
  std::string readAll(std::string &bytes) const;

  int descriptor() const { return fd; }
  uint64_t bytes() const { return size; }

private:
  int fd = -1;
  uint64_t size = 0;
};

} // namespace npu::files

#endif // NPU_FILES_INPUT_FILE_H
