// SPDX-License-Identifier: Apache-2.0

#include "files/location.h"

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <unistd.h>

namespace npu::files {

std::string folderOf(const std::string &path) {
  size_t slash = path.find_last_of('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

namespace {

std::string nameOf(const std::string &path) {
  return path.substr(path.find_last_of('/') + 1);
}

/// A folder without links; empty if it is not there.
std::string realFolder(const std::string &folder) {
  char *real = realpath(folder.c_str(), nullptr);
  std::string result = real ? real : "";
  free(real);
  return result;
}

/// The text of a link; empty if it is none.
std::string readLink(const std::string &path) {
  std::string text(4096, '\0');
  ssize_t bytes = readlink(path.c_str(), &text[0], text.size());
  text.resize(bytes > 0 ? static_cast<size_t>(bytes) : 0);
  return text;
}

/// A descriptor's number, if `folder` (without links) is /proc/N/fd.
int descriptorOf(const std::string &folder, const std::string &name) {
  std::string own = realFolder("/proc/self/fd");
  int number = -1;
  const char *end = name.data() + name.size();
  if (own.empty() || folder != own ||
      std::from_chars(name.data(), end, number).ptr != end)
    return -1;
  return number;
}

/// A link of somebody else's in a folder where all may write, such as /tmp: the
/// system follows none (fs.protected_symlinks), and this must not by hand. Who
/// laid it could choose which of our files is replaced.
bool isTrap(const std::string &folder, const std::string &path) {
  struct stat place, link;
  return stat(folder.c_str(), &place) == 0 && (place.st_mode & S_ISVTX) != 0 &&
         (place.st_mode & S_IWOTH) != 0 && lstat(path.c_str(), &link) == 0 &&
         link.st_uid != geteuid() && link.st_uid != place.st_uid;
}

/// Where a path's links end; `descriptor` if that is an open file of ours.
std::string endOfLinks(std::string path, int &descriptor) {
  constexpr int mostLinks = 40; // as the kernel
  for (int hop = 0; hop < mostLinks; ++hop) {
    std::string folder = realFolder(folderOf(path));
    if (folder.empty())
      return path;
    descriptor = descriptorOf(folder, nameOf(path));
    path = (folder == "/" ? "" : folder) + "/" + nameOf(path);
    std::string link = descriptor < 0 ? readLink(path) : "";
    if (link.empty() || isTrap(folder, path))
      return path;
    path = link[0] == '/' ? link : folder + "/" + link;
  }
  return path;
}

} // namespace

Location locate(const std::string &path) {
  Location location;
  // Where there is no /proc, too.
  if (path == standardOutput)
    location.descriptor = STDOUT_FILENO;
  else
    location.path = endOfLinks(path, location.descriptor);
  if (location.descriptor >= 0) {
    location.path = path;
    location.exists = fstat(location.descriptor, &location.info) == 0;
  } else {
    location.exists = stat(path.c_str(), &location.info) == 0;
    location.isLoop = !location.exists && errno == ELOOP;
  }
  return location;
}

bool isSameFile(const Location &a, const Location &b) {
  bool areOpen = a.descriptor >= 0 && b.descriptor >= 0;
  if (a.exists != b.exists || areOpen)
    return false;
  if (a.exists)
    return S_ISREG(a.info.st_mode) && a.info.st_dev == b.info.st_dev &&
           a.info.st_ino == b.info.st_ino;
  return a.path == b.path;
}

} // namespace npu::files
