// SPDX-License-Identifier: Apache-2.0
#include "compiler/Api/Output.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace npu;

MemoryOutput::~MemoryOutput() {
  if (mapped)
    munmap(mapped, size ? size : 1);
}

std::string MemoryOutput::makeFolder() {
  std::string parent = files::folderForTemporaries();
  folder = files::makeTemporaryFolder(parent);
  if (folder.path().empty())
    return "cannot make a temporary folder in '" + parent +
           "': " + std::strerror(errno) + "; name another with TMPDIR";
  file = folder.path() + "/output";
  return "";
}

std::string MemoryOutput::map() {
  int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat info = {};
  if (fd < 0 || fstat(fd, &info) != 0) {
    std::string why = std::strerror(errno);
    if (fd >= 0)
      close(fd);
    return "cannot read the output back: " + why;
  }
  size = static_cast<uint64_t>(info.st_size);
  void *block = mmap(nullptr, size ? size : 1, PROT_READ, MAP_PRIVATE, fd, 0);
  std::string why = block == MAP_FAILED ? std::strerror(errno) : "";
  close(fd);
  if (!why.empty())
    return "cannot map the output: " + why;
  mapped = block;
  folder.remove(); // the bytes stay as long as they are mapped
  return "";
}
