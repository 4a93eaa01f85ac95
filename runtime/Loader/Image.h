// SPDX-License-Identifier: Apache-2.0
//
// The ELF part of a .npu file in memory.
#ifndef NPU_RUNTIME_LOADER_IMAGE_H
#define NPU_RUNTIME_LOADER_IMAGE_H

#include "format/program_format.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace npu::runtime {

/// Address ranges of an image that may be read, and that may be run.
class ImageBounds {
public:
  void add(uintptr_t begin, size_t bytes, bool executable);
  bool canRead(const void *begin, uint64_t bytes) const;
  bool canRun(uintptr_t address) const;

private:
  struct Segment {
    uintptr_t begin;
    size_t bytes;
    bool executable;
  };
  std::vector<Segment> segments;
};

/// Where a program comes from: a file, or bytes in memory.
struct Source {
  std::string path; ///< as messages call it
  const void *data = nullptr;
  uint64_t bytes = 0;
};

/// Bytes from one page's begin to another's.
struct Pages {
  uint8_t *first = nullptr;
  size_t bytes = 0;
};

/// The whole pages among these bytes.
Pages wholePages(const void *first, uint64_t bytes);

/// Gives the whole pages among these bytes back to the system. Returns the
/// bytes of them.
size_t releasePages(const void *first, uint64_t bytes);

/// An open .npu file, after load() mapped by the dynamic loader. Bytes in
/// memory become a file without a name, so that what is checked is what is
/// loaded.
class Image {
public:
  /// Opens for reading, or copies; throws Failure.
  explicit Image(const Source &source);
  ~Image();
  Image(const Image &) = delete;
  Image &operator=(const Image &) = delete;

  /// Maps the ELF of this very descriptor. Call only once its checksum is
  /// known to be right: the dynamic loader crashes on damaged files.
  void load();

  int descriptor() const { return fd; }
  const npu_program *program() const { return root; }
  const ImageBounds &bounds() const { return imageBounds; }

  /// Gives whole pages inside [offset, offset + bytes) of the weights back to
  /// the system; read again, they come back from the file. Returns the bytes: 0
  /// of a copy, whose pages are the file.
  size_t release(uint64_t offset, uint64_t bytes) const;

private:
  std::string path;
  bool isCopy;
  int fd = -1;
  void *handle = nullptr;
  const npu_program *root = nullptr;
  ImageBounds imageBounds;
};

} // namespace npu::runtime

#endif // NPU_RUNTIME_LOADER_IMAGE_H
