// SPDX-License-Identifier: Apache-2.0

#include "runtime/Loader/Image.h"

#include "runtime/Status.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

namespace npu::runtime {
namespace {

/// A path to the descriptor that no earlier load used. The dynamic loader
/// answers a name that it has seen with the old library, even if that number
/// now stands for another file; a counter written as "/." (1) and "/" (0)
/// changes the name and not the file.
std::string freshName(int fd) {
  static std::atomic<uint64_t> loads{0};
  std::string name = "/proc/self/fd";
  for (uint64_t rest = ++loads; rest != 0; rest >>= 1)
    name += (rest & 1) != 0 ? "/." : "/";
  return name + "/" + std::to_string(fd);
}

struct Search {
  uintptr_t address;
  ImageBounds *bounds;
};

/// For dl_iterate_phdr: takes the segments of the object that holds `address`.
int collectSegments(dl_phdr_info *info, size_t /*size*/, void *data) {
  auto *search = static_cast<Search *>(data);
  ImageBounds bounds;
  bool found = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto &header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || !(header.p_flags & PF_R))
      continue;
    uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    bounds.add(begin, header.p_memsz, (header.p_flags & PF_X) != 0);
    found |= search->address - begin < header.p_memsz;
  }
  if (found)
    *search->bounds = bounds;
  return found;
}

} // namespace

void ImageBounds::add(uintptr_t begin, size_t bytes, bool executable) {
  segments.push_back({begin, bytes, executable});
}

bool ImageBounds::canRead(const void *begin, uint64_t bytes) const {
  auto address = reinterpret_cast<uintptr_t>(begin);
  for (const Segment &segment : segments)
    if (address >= segment.begin && address - segment.begin <= segment.bytes &&
        bytes <= segment.bytes - (address - segment.begin))
      return true;
  return false;
}

bool ImageBounds::canRun(uintptr_t address) const {
  for (const Segment &segment : segments)
    if (segment.executable && address >= segment.begin &&
        address - segment.begin < segment.bytes)
      return true;
  return false;
}

static int openFile(const std::string &path) {
  // O_NONBLOCK: a pipe is refused instead of waited for.
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    throw Failure(NPU_CANNOT_READ,
                  "'" + path + "' cannot be read: " + strerror(errno));
  return fd;
}

/// An empty file without a name. Systems that forbid code in such files want to
/// be told that this one has some; older ones do not know the flag.
static int makeFile() {
  constexpr unsigned hasCode = 0x10; // MFD_EXEC, which Debian 12 has no name of
  constexpr unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  int fd = memfd_create("npu", flags | hasCode);
  return fd < 0 && errno == EINVAL ? memfd_create("npu", flags) : fd;
}

/// All of it, or an error in errno.
static bool writeAll(int fd, const void *data, uint64_t bytes) {
  const auto *next = static_cast<const char *>(data);
  while (bytes > 0) {
    ssize_t done = write(fd, next, bytes);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return false;
    next += done;
    bytes -= static_cast<uint64_t>(done);
  }
  return true;
}

/// A copy that nobody can change once it is made.
static int copyBytes(const Source &source) {
  int fd = makeFile();
  if (fd >= 0 && writeAll(fd, source.data, source.bytes) &&
      fcntl(fd, F_ADD_SEALS,
            F_SEAL_SEAL | F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW) == 0)
    return fd;
  int error = errno;
  if (fd >= 0)
    close(fd);
  bool isFull = error == ENOSPC || error == ENOMEM || error == EFBIG;
  throw Failure(isFull ? NPU_OUT_OF_MEMORY : NPU_CANNOT_READ,
                source.path + " cannot be copied into a file without a name (" +
                    strerror(error) + "); load it from a file instead");
}

Image::Image(const Source &source)
    : path(source.path), isCopy(source.data != nullptr),
      fd(isCopy ? copyBytes(source) : openFile(source.path)) {}

Image::~Image() {
  if (handle)
    dlclose(handle);
  close(fd);
}

void Image::load() {
  handle = dlopen(freshName(fd).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *reason = dlerror();
    throw Failure(NPU_BAD_FILE,
                  "'" + path + "' has an ELF part that cannot be loaded (" +
                      (reason ? reason : "no reason given") +
                      "); compile it again for this machine");
  }
  void *symbol = dlsym(handle, NPU_PROGRAM_SYMBOL);
  Search search = {reinterpret_cast<uintptr_t>(symbol), &imageBounds};
  if (symbol)
    dl_iterate_phdr(collectSegments, &search);
  if (!symbol || !imageBounds.canRead(symbol, sizeof(npu_program)) ||
      search.address % alignof(npu_program) != 0)
    throw Failure(NPU_BAD_FILE, "'" + path + "' exports no usable symbol '" +
                                    NPU_PROGRAM_SYMBOL +
                                    "'; compile it again with npuc");
  root = static_cast<const npu_program *>(symbol);
}

Pages wholePages(const void *first, uint64_t bytes) {
  static const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  uintptr_t begin = reinterpret_cast<uintptr_t>(first);
  uintptr_t end = (begin + bytes) / page * page;
  begin = (begin + page - 1) / page * page;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): pages are found by arithmetic.
  return {reinterpret_cast<uint8_t *>(begin), begin < end ? end - begin : 0};
}

size_t releasePages(const void *first, uint64_t bytes) {
  const Pages whole = wholePages(first, bytes);
  return whole.bytes > 0 &&
                 madvise(whole.first, whole.bytes, MADV_DONTNEED) == 0
             ? whole.bytes
             : 0;
}

size_t Image::release(uint64_t offset, uint64_t bytes) const {
  return isCopy ? 0 : releasePages(root->weights + offset, bytes);
}

} // namespace npu::runtime
