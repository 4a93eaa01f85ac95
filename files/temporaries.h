// SPDX-License-Identifier: Apache-2.0
//
// Names on disk that go away with the process, however it ends (but by
// SIGKILL).
#ifndef NPU_FILES_TEMPORARIES_H
#define NPU_FILES_TEMPORARIES_H

#include <atomic>
#include <string>

namespace npu::files {

/// First in main() of a program that writes files: SIGINT, SIGTERM, SIGHUP,
/// SIGPIPE and their like remove every TemporaryName and then end the process
/// as they would have; exit() removes them, too. A file that grows past its
/// limit is an error like a full disk, no signal. Standard streams that are
/// closed fail, instead of being the first file that is opened.
void prepareProcess();

/// Removes every TemporaryName now: the process ends without exit(). Safe in a
/// signal handler.
void removeTemporaries();

/// While one lives, signals that end the process wait.
class SignalsWait {
public:
  SignalsWait();
  ~SignalsWait();
  SignalsWait(const SignalsWait &) = delete;
  SignalsWait &operator=(const SignalsWait &) = delete;
};

/// A file, or a folder of files, that is removed when this goes out of scope.
/// What others make by name (a linker, another process) belongs into a folder:
/// they cannot make it again after it was removed.
class TemporaryName {
public:
  TemporaryName() = default;
  /// `path` is there already; between making it and this, let signals wait.
  explicit TemporaryName(const std::string &path);
  ~TemporaryName() { remove(); }
  TemporaryName(TemporaryName &&other) noexcept;
  TemporaryName &operator=(TemporaryName &&other) noexcept;

  const std::string &path() const { return name; }
  void remove();
  /// What has this name is somebody else's from now on.
  void release();

private:
  std::string name; // empty: none
  std::atomic<char *> *registered = nullptr;
};

/// A new empty file in `folder`, open for writing, with the permissions that
/// the umask leaves; `fd` is -1 and errno says why if there is none.
TemporaryName makeTemporaryFile(const std::string &folder, int &fd);

/// A new folder in `parent`; no name, and errno, if there is none.
TemporaryName makeTemporaryFolder(const std::string &parent);

/// Where temporary files belong that have no place: TMPDIR, or /tmp.
std::string folderForTemporaries();

} // namespace npu::files

#endif // NPU_FILES_TEMPORARIES_H
