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

/// An open .npu file, after load() mapped by the dynamic loader.
class Image {
public:
  /// Opens for reading; throws Failure.
  explicit Image(const std::string &path);
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
  /// the system; read again, they come back from the file. Returns the bytes.
  size_t release(uint64_t offset, uint64_t bytes) const;

private:
  std::string path;
  int fd = -1;
  void *handle = nullptr;
  const npu_program *root = nullptr;
  ImageBounds imageBounds;
};

} // namespace npu::runtime

#endif // NPU_RUNTIME_LOADER_IMAGE_H
