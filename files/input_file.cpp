// SPDX-License-Identifier: Apache-2.0

#include "files/input_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace npu::files {

static std::string cannotRead(int error) {
  return std::string("cannot be read: ") + std::strerror(error);
}

InputFile::~InputFile() {
  if (fd >= 0)
    close(fd);
}

std::string InputFile::open(const std::string &path) {
  // The system would open what stands before it.
  if (path.find('\0') != std::string::npos)
    return "cannot be read: its name has a zero byte";
  // O_NONBLOCK: a pipe is refused instead of waited for.
  fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat info;
  if (fd < 0 || fstat(fd, &info) != 0)
    return cannotRead(errno);
  if (S_ISDIR(info.st_mode))
    return "cannot be read: it is a folder";
  if (!S_ISREG(info.st_mode))
    return "cannot be read: it is not a regular file";
  size = static_cast<uint64_t>(info.st_size);
  return "";
}

std::string InputFile::readAt(void *data, size_t bytes, uint64_t offset) const {
  char *next = static_cast<char *>(data);
  while (bytes > 0) {
    ssize_t got = pread(fd, next, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return cannotRead(errno);
    if (got == 0)
      return "is cut short: it became shorter while it was read";
    next += got;
    offset += static_cast<uint64_t>(got);
    bytes -= static_cast<size_t>(got);
  }
  return "";
}

std::string InputFile::readAll(std::string &bytes) const {
  bytes.resize(size);
  return readAt(&bytes[0], bytes.size(), 0);
}

} // namespace npu::files
