// SPDX-License-Identifier: Apache-2.0

#include "files/output_files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <set>
#include <unistd.h>

namespace npu::files {

static std::string cannotWrite(const std::string &path,
                               const std::string &why) {
  return "cannot write '" + path + "': " + why;
}

static std::string problemOf(const std::string &path, const Location &target) {
  if (target.descriptor >= 0)
    return "";
  if (target.exists && S_ISDIR(target.info.st_mode))
    return cannotWrite(path, "it is a folder; name a file in it");
  const std::string folder = folderOf(target.path);
  struct stat info;
  if (stat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
    return cannotWrite(path,
                       "there is no folder '" + folder + "'; make it first");
  return "";
}

std::string outputProblem(const std::string &path) {
  return problemOf(path, locate(path));
}

OutputFile::~OutputFile() {
  if (fd >= 0)
    close(fd);
}

std::string OutputFile::failed(int error) {
  if (fd >= 0)
    close(fd);
  fd = -1;
  temporary.remove();
  std::string name = target.descriptor == STDOUT_FILENO ? "to standard output"
                                                        : "'" + given + "'";
  std::string sentence = "cannot write " + name + ": " + strerror(error);
  if (error == ENXIO)
    sentence += "; nobody reads it";
  if (error == ENOSPC || error == EDQUOT || error == EFBIG)
    sentence += "; free some space or write elsewhere";
  return sentence;
}

/// Without waiting for somebody to read a pipe; what is read slowly is waited
/// for.
static int openInPlace(const std::string &path) {
  int fd = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd >= 0)
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  return fd;
}

std::string OutputFile::open(const std::string &path) {
  given = path;
  target = locate(path);
  if (std::string problem = problemOf(path, target); !problem.empty())
    return problem;
  if (target.descriptor >= 0)
    // Opened again, a file would be written from its start.
    fd = fcntl(target.descriptor, F_DUPFD_CLOEXEC, 0);
  else if (!target.isReplaceable())
    fd = openInPlace(path);
  else
    temporary = makeTemporaryFile(folderOf(target.path), fd);
  return fd < 0 ? failed(errno) : "";
}

std::string OutputFile::adopt(TemporaryName file, const std::string &path) {
  given = path;
  target = locate(path);
  if (std::string problem = problemOf(path, target); !problem.empty())
    return problem;
  if (!target.isReplaceable())
    return cannotWrite(path, "it is not a regular file");
  temporary = std::move(file);
  struct stat info;
  fd = ::open(temporary.path().c_str(),
              O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
  // A linker makes programs; this is data.
  if (fd < 0 || fstat(fd, &info) != 0 ||
      fchmod(fd, info.st_mode & ~mode_t(0111)) != 0)
    return failed(errno);
  return "";
}

std::string OutputFile::write(const void *data, size_t bytes) {
  const char *next = static_cast<const char *>(data);
  while (bytes > 0) {
    ssize_t done = ::write(fd, next, bytes);
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0)
      return failed(errno);
    next += done;
    bytes -= static_cast<size_t>(done);
  }
  return "";
}

std::string OutputFile::finish() {
  if (fd < 0)
    return "";
  if (!temporary.path().empty() && fsync(fd) != 0)
    return failed(errno);
  int closed = close(fd);
  fd = -1;
  return closed == 0 ? "" : failed(errno);
}

std::string OutputFile::publish() {
  const char *from = temporary.path().c_str(), *to = target.path.c_str();
  if (temporary.path().empty())
    return "";
  // What was there keeps a name until all files of the call have theirs. Some
  // file systems cannot swap.
  if (target.exists &&
      renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE) == 0)
    state = Swapped;
  else if (rename(from, to) == 0)
    state = Moved;
  return state == Hidden ? failed(errno) : "";
}

void OutputFile::undo() {
  const char *from = temporary.path().c_str(), *to = target.path.c_str();
  if (state == Swapped)
    renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE);
  else if (state == Moved && !target.exists)
    rename(to, from);
  state = Hidden;
}

void OutputFiles::reads(const std::string &what, const std::string &path) {
  for (const Named &known : inputs)
    if (known.path == path)
      return;
  inputs.push_back({what, path, locate(path)});
}

void OutputFiles::writes(const std::string &what, const std::string &path) {
  outputs.push_back({what, path, locate(path)});
}

std::string OutputFiles::clash() const {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Named &output = outputs[i];
    for (const Named &input : inputs)
      if (isSameFile(output.location, input.location))
        return output.what + " '" + output.path + "' would replace " +
               input.what + " '" + input.path + "'; name another file";
    for (size_t other = 0; other < i; ++other)
      if (isSameFile(output.location, outputs[other].location))
        return output.what + " '" + output.path + "' would replace " +
               outputs[other].what + " '" + outputs[other].path +
               "'; name two files";
  }
  return "";
}

std::string OutputFiles::problem() const {
  for (const Named &output : outputs)
    if (std::string wrong = problemOf(output.path, output.location);
        !wrong.empty())
      return wrong;
  return "";
}

std::string OutputFiles::write(const std::string &path, const std::string &text,
                               const void *data, size_t bytes) {
  OutputFile &file = add();
  std::string failure = file.open(path);
  if (failure.empty())
    failure = file.write(text);
  if (failure.empty())
    failure = file.write(data, bytes);
  // Closed at once: a call may write more files than may be open.
  return failure.empty() ? file.finish() : failure;
}

/// A rename survives a crash only once the folder is on disk, too.
static void syncFolder(const std::string &folder) {
  int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    return;
  fsync(fd);
  close(fd);
}

std::string OutputFiles::commit() {
  std::string failure;
  for (OutputFile &file : files)
    if (failure.empty())
      failure = file.finish();
  if (!failure.empty())
    return failure;
  SignalsWait wait;
  size_t published = 0;
  while (published < files.size() && failure.empty())
    if ((failure = files[published].publish()).empty())
      ++published;
  std::set<std::string> folders;
  for (size_t i = published; i-- > 0;) {
    if (!failure.empty())
      files[i].undo();
    if (files[i].state == OutputFile::Moved)
      files[i].temporary.release();
    files[i].temporary.remove(); // what was there before
    folders.insert(folderOf(files[i].target.path));
  }
  files.clear();
  for (const std::string &folder : folders)
    syncFolder(folder);
  return failure;
}

} // namespace npu::files
