// SPDX-License-Identifier: Apache-2.0
//
// The files that one call of a program writes. They appear together, once each
// is whole, or none of them does; and none is a file that the call reads, or
// another one that it writes.
#ifndef NPU_FILES_OUTPUT_FILES_H
#define NPU_FILES_OUTPUT_FILES_H

#include "files/location.h"
#include "files/temporaries.h"

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

namespace npu::files {

/// Why nothing can be written there, as far as that is known before: there is
/// no folder, or it is one. A sentence, or empty.
std::string outputProblem(const std::string &path);

/// Functions return an empty string, or one sentence that says what failed.
/// After a failure nothing of the file is left on disk.
class OutputFile {
public:
  OutputFile() = default;
  ~OutputFile();
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;

  /// A link at `path` stays, its target is replaced. What is no regular file
  /// (a pipe, /dev/stdout) is written in place.
  std::string open(const std::string &path);
  /// `file`, which lies in the folder of the regular file `path`, becomes its
  /// new content; write() appends to it. What is no regular file is never
  /// replaced.
  std::string adopt(TemporaryName file, const std::string &path);
  std::string write(const void *data, size_t bytes);
  std::string write(const std::string &text) {
    return write(text.data(), text.size());
  }

private:
  friend class OutputFiles;
  std::string failed(int error);
  /// All that was written is on the disk; nothing is open any more.
  std::string finish();
  /// The file has its name; undo() gives back what was there.
  std::string publish();
  void undo();

  int fd = -1;
  std::string given; // as the user spelled it
  Location target;
  TemporaryName temporary; // none: written in place
  enum { Hidden, Moved, Swapped } state = Hidden;
};

class OutputFiles {
public:
  /// A file that the call reads; `what` is its name in messages.
  void reads(const std::string &what, const std::string &path);
  /// A file that the call will write.
  void writes(const std::string &what, const std::string &path);
  /// Empty, or a sentence about an output that is an input or another output.
  std::string clash() const;
  /// Empty, or why one of the outputs cannot be written, before time is spent
  /// on what belongs there.
  std::string problem() const;

  /// One more file. It lives as long as this.
  OutputFile &add() { return files.emplace_back(); }
  /// One more file: this text, then these bytes.
  std::string write(const std::string &path, const std::string &text,
                    const void *data = nullptr, size_t bytes = 0);
  /// Gives all files their names, or none.
  std::string commit();

private:
  struct Named {
    std::string what, path;
    Location location;
  };
  std::vector<Named> inputs, outputs;
  std::deque<OutputFile> files;
};

} // namespace npu::files

#endif // NPU_FILES_OUTPUT_FILES_H
