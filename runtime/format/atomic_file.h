// SPDX-License-Identifier: Apache-2.0
//
// A file that appears whole or not at all: written under a temporary name in
// the same folder, synced, renamed.
#ifndef NPU_RUNTIME_FORMAT_ATOMIC_FILE_H
#define NPU_RUNTIME_FORMAT_ATOMIC_FILE_H

#include <cstddef>
#include <string>

namespace npu::format {

/// Functions return an empty string, or one sentence that says what failed.
/// After a failure, or without commit(), nothing is left on disk.
class AtomicFile {
public:
  AtomicFile() = default;
  ~AtomicFile();
  AtomicFile(const AtomicFile &) = delete;
  AtomicFile &operator=(const AtomicFile &) = delete;

  /// A link at `path` stays, its target is replaced. What is no regular file
  /// (a pipe, /dev/stdout) is written in place.
  std::string open(const std::string &path);
  /// `file`, which lies in the folder of the regular file `path`, becomes its
  /// new content; write() appends to it. From now on it is removed on failure.
  /// What is no regular file is never replaced.
  std::string adopt(const std::string &file, const std::string &path);
  std::string write(const void *data, size_t bytes);
  std::string commit();

private:
  std::string failed(const char *what, int error);

  int fd = -1;
  std::string target;
  std::string temporary; // empty: written in place
};

} // namespace npu::format

#endif // NPU_RUNTIME_FORMAT_ATOMIC_FILE_H
