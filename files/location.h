// SPDX-License-Identifier: Apache-2.0
//
// Which file a path means, whatever its spelling.
#ifndef NPU_FILES_LOCATION_H
#define NPU_FILES_LOCATION_H

#include <string>
#include <sys/stat.h>

namespace npu::files {

/// Standard output's name as a path, even where there is no /dev.
inline constexpr const char *standardOutput = "/dev/stdout";

struct Location {
  /// Without links; as given where a folder on the way is not there.
  std::string path;
  /// Of /dev/stdout, /dev/fd/3, ...: an open descriptor; else -1.
  int descriptor = -1;
  bool exists = false;
  bool isLoop = false;   // links that end nowhere
  struct stat info = {}; // if it exists

  /// It can be replaced as a whole: no pipe, device, folder, no descriptor.
  bool isReplaceable() const {
    return descriptor < 0 && !isLoop && (!exists || S_ISREG(info.st_mode));
  }
};

/// Follows links to their end, which need not exist.
Location locate(const std::string &path);

/// Whether both are one file, through hard links, too. Two that do not exist
/// yet are one if they have the same name in the same folder. Pipes, devices
/// and two open descriptors are never one: nothing there is replaced.
bool isSameFile(const Location &a, const Location &b);

/// The folder that a path's last part lies in.
std::string folderOf(const std::string &path);

} // namespace npu::files

#endif // NPU_FILES_LOCATION_H
