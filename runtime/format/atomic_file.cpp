// SPDX-License-Identifier: Apache-2.0

#include "runtime/format/atomic_file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace npu::format {

AtomicFile::~AtomicFile() {
  if (fd >= 0)
    close(fd);
  if (fd >= 0 && !temporary.empty())
    unlink(temporary.c_str());
}

std::string AtomicFile::failed(const char *what, int error) {
  std::string sentence =
      "cannot " + std::string(what) + " '" + target + "': " + strerror(error);
  if (error == ENOSPC || error == EDQUOT || error == EFBIG)
    sentence += "; free some space or write elsewhere";
  if (fd >= 0)
    close(fd);
  fd = -1;
  if (!temporary.empty())
    unlink(temporary.c_str());
  return sentence;
}

/// Where a chain of links ends, so that rename() replaces the file, not the
/// link. A path that does not exist yet is its own end.
static std::string resolveLinks(const std::string &path) {
  char *resolved = realpath(path.c_str(), nullptr);
  std::string result = resolved ? resolved : path;
  free(resolved);
  return result;
}

std::string AtomicFile::open(const std::string &path) {
  target = path;
  struct stat info;
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    return fd < 0 ? failed("write", errno) : "";
  }
  std::string real = resolveLinks(path);
  // mkstemp would make the file private; open() respects the umask.
  for (int attempt = 0; attempt < 1000; ++attempt) {
    temporary = real + ".tmp" + std::to_string(getpid()) + "-" +
                std::to_string(attempt);
    fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                0666);
    if (fd >= 0) {
      target = real;
      return "";
    }
    if (errno != EEXIST)
      break;
  }
  int error = errno;
  temporary.clear(); // whoever made it, it is not ours to remove
  return failed("write", error);
}

std::string AtomicFile::adopt(const std::string &file,
                              const std::string &path) {
  target = path;
  temporary = file;
  struct stat info;
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    unlink(file.c_str());
    temporary.clear();
    return "cannot write '" + path + "': it is not a regular file";
  }
  fd = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  // A linker makes programs; this is data.
  if (fd < 0 || fstat(fd, &info) != 0 ||
      fchmod(fd, info.st_mode & ~mode_t(0111)) != 0)
    return failed("write", errno);
  return "";
}

std::string AtomicFile::write(const void *data, size_t bytes) {
  const char *next = static_cast<const char *>(data);
  while (bytes > 0) {
    ssize_t done = ::write(fd, next, bytes);
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0)
      return failed("write", errno);
    next += done;
    bytes -= static_cast<size_t>(done);
  }
  return "";
}

/// A rename survives a crash only once the folder is on disk, too.
static void syncFolder(const std::string &path) {
  size_t slash = path.find_last_of('/');
  std::string folder =
      slash == std::string::npos ? "." : path.substr(0, slash + 1);
  int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return;
  fsync(fd);
  close(fd);
}

std::string AtomicFile::commit() {
  if (temporary.empty()) {
    int closed = close(fd);
    fd = -1;
    return closed == 0 ? "" : failed("write", errno);
  }
  if (fsync(fd) != 0)
    return failed("write", errno);
  int closed = close(fd);
  fd = -1;
  if (closed != 0)
    return failed("write", errno);
  if (rename(temporary.c_str(), target.c_str()) != 0)
    return failed("write", errno);
  temporary.clear();
  syncFolder(target);
  return "";
}

} // namespace npu::format
