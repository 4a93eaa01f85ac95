// SPDX-License-Identifier: Apache-2.0

#include "format/footer.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

// No library of it to be linked by whoever links a static libnpu.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace npu::format {
namespace {

constexpr size_t chunkBytes = size_t(1) << 20;
constexpr size_t checksumOffset = offsetof(npu_footer, checksum);

/// XXH3_128bits of a file's bytes as they pass.
class Checksum {
public:
  Checksum() : state(XXH3_createState(), XXH3_freeState) {
    XXH3_128bits_reset(state.get());
  }
  void add(const void *data, size_t bytes) {
    XXH3_128bits_update(state.get(), data, bytes);
  }
  void store(uint8_t (&out)[16]) const {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state.get()));
    static_assert(sizeof(canonical.digest) == sizeof(out));
    std::memcpy(out, canonical.digest, sizeof(out));
  }

private:
  std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t *)> state;
};

struct File {
  explicit File(const std::string &path)
      : fd(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~File() {
    if (fd >= 0)
      close(fd);
  }
  File(const File &) = delete;
  File &operator=(const File &) = delete;
  int fd;
};

/// What is wrong with the footer's fields, checksum aside.
std::string checkFooter(const npu_footer &footer, uint64_t fileBytes,
                        ReadError &error) {
  error = ReadError::BadFile;
  if (std::memcmp(footer.magic, NPU_FOOTER_MAGIC, sizeof(footer.magic)) != 0)
    return "does not end in an NPU footer: it is no .npu file, or was cut "
           "short; compile or copy it again";
  if (footer.version != NPU_FORMAT_VERSION) {
    error = ReadError::WrongVersion;
    return "has format version " + std::to_string(footer.version) +
           ", but this runtime reads version " +
           std::to_string(NPU_FORMAT_VERSION) +
           "; compile it again with the npuc of this runtime";
  }
  if (footer.size != sizeof(npu_footer))
    return "has a footer of " + std::to_string(footer.size) +
           " bytes, expected " + std::to_string(sizeof(npu_footer)) +
           "; the file is damaged, compile or copy it again";
  if (footer.file_size != fileBytes)
    return "was written with " + std::to_string(footer.file_size) +
           " bytes, but has " + std::to_string(fileBytes) +
           "; the file is damaged, compile or copy it again";
  uint64_t body = fileBytes - sizeof(npu_footer);
  if (footer.manifest_offset > body ||
      footer.manifest_size > body - footer.manifest_offset ||
      footer.chip_size != body - footer.manifest_offset - footer.manifest_size)
    return "says its manifest is " + std::to_string(footer.manifest_size) +
           " bytes at offset " + std::to_string(footer.manifest_offset) +
           " and the chip's program " + std::to_string(footer.chip_size) +
           " behind them, which does not end at the footer at " +
           std::to_string(body) +
           "; the file is damaged, compile or copy it again";
  error = ReadError::None;
  return "";
}

Sealed refuse(ReadError error, const std::string &path,
              const std::string &clause) {
  Sealed result;
  result.error = error;
  result.message = "'" + path + "' " + clause;
  return result;
}

} // namespace

bool readAt(int fd, void *data, size_t bytes, uint64_t offset) {
  char *next = static_cast<char *>(data);
  while (bytes > 0) {
    ssize_t got = pread(fd, next, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR)
      continue;
    if (got == 0)
      errno = EIO;
    if (got <= 0)
      return false;
    next += got;
    offset += static_cast<uint64_t>(got);
    bytes -= static_cast<size_t>(got);
  }
  return true;
}

Sealed readSealed(int fd, const std::string &path) {
  auto unreadable = [&] {
    return refuse(ReadError::CannotRead, path,
                  std::string("cannot be read: ") + strerror(errno));
  };
  struct stat info;
  if (fstat(fd, &info) != 0)
    return unreadable();
  if (!S_ISREG(info.st_mode))
    return refuse(ReadError::CannotRead, path,
                  S_ISDIR(info.st_mode)
                      ? "cannot be read: it is a folder"
                      : "cannot be read: it is not a regular file");
  auto fileBytes = static_cast<uint64_t>(info.st_size);
  if (fileBytes < sizeof(npu_footer))
    return refuse(ReadError::BadFile, path,
                  "has " + std::to_string(fileBytes) +
                      " bytes, less than the footer of a .npu file; compile or "
                      "copy it again");

  npu_footer footer;
  uint64_t footerOffset = fileBytes - sizeof(footer);
  if (!readAt(fd, &footer, sizeof(footer), footerOffset))
    return unreadable();
  Sealed result;
  std::string wrong = checkFooter(footer, fileBytes, result.error);
  if (!wrong.empty())
    return refuse(result.error, path, wrong);

  Checksum checksum;
  std::vector<char> chunk(std::min<uint64_t>(chunkBytes, fileBytes));
  uint64_t end = footerOffset + checksumOffset;
  for (uint64_t at = 0; at < end; at += chunk.size()) {
    size_t bytes = std::min<uint64_t>(chunk.size(), end - at);
    if (!readAt(fd, chunk.data(), bytes, at))
      return unreadable();
    checksum.add(chunk.data(), bytes);
  }
  uint8_t found[16];
  checksum.store(found);
  if (std::memcmp(found, footer.checksum, sizeof(found)) != 0)
    return refuse(ReadError::BadFile, path,
                  "is damaged: its checksum does not fit its bytes; compile or "
                  "copy it again");

  uint64_t at = footer.manifest_offset;
  for (auto [part, bytes] : {std::pair(&result.manifest, footer.manifest_size),
                             std::pair(&result.chip, footer.chip_size)}) {
    part->resize(bytes);
    if (!readAt(fd, part->data(), bytes, at))
      return unreadable();
    at += bytes;
  }
  result.elfBytes = footer.manifest_offset;
  result.fileBytes = fileBytes;
  return result;
}

/// Appends what stands behind the ELF, which `out` holds, and the footer.
static std::string finish(files::OutputFile &out, Checksum &checksum,
                          uint64_t elfBytes, const Sealing &sealing) {
  const std::string text = sealing.manifest + sealing.chip;
  checksum.add(text.data(), text.size());
  std::string failure = out.write(text.data(), text.size());
  npu_footer footer = {};
  std::memcpy(footer.magic, NPU_FOOTER_MAGIC, sizeof(footer.magic));
  footer.version = NPU_FORMAT_VERSION;
  footer.size = sizeof(footer);
  footer.file_size = elfBytes + text.size() + sizeof(footer);
  footer.manifest_offset = elfBytes;
  footer.manifest_size = sealing.manifest.size();
  footer.chip_size = sealing.chip.size();
  checksum.add(&footer, checksumOffset);
  checksum.store(footer.checksum);
  if (failure.empty())
    failure = out.write(&footer, sizeof(footer));
  return failure;
}

/// Calls use(data, bytes) for all chunks of a file until it returns a failure.
template <typename Use>
static std::string readAll(const std::string &path, uint64_t &fileBytes,
                           Use use) {
  File file(path);
  struct stat info;
  if (file.fd < 0 || fstat(file.fd, &info) != 0)
    return "'" + path + "' cannot be read: " + strerror(errno);
  fileBytes = static_cast<uint64_t>(info.st_size);
  std::vector<char> chunk(chunkBytes);
  std::string failure;
  for (uint64_t at = 0; failure.empty() && at < fileBytes; at += chunkBytes) {
    size_t bytes = std::min<uint64_t>(chunkBytes, fileBytes - at);
    if (!readAt(file.fd, chunk.data(), bytes, at))
      return "'" + path + "' cannot be read: " + strerror(errno);
    failure = use(chunk.data(), bytes);
  }
  return failure;
}

std::string seal(const std::string &elfPath, const Sealing &sealing,
                 const std::string &outPath) {
  files::OutputFiles files;
  files::OutputFile &out = files.add();
  Checksum checksum;
  uint64_t elfBytes = 0;
  std::string failure = out.open(outPath);
  if (failure.empty())
    failure = readAll(elfPath, elfBytes, [&](const char *data, size_t bytes) {
      checksum.add(data, bytes);
      return out.write(data, bytes);
    });
  if (failure.empty())
    failure = finish(out, checksum, elfBytes, sealing);
  return failure.empty() ? files.commit() : failure;
}

std::string sealInPlace(files::TemporaryName elf, const Sealing &sealing,
                        const std::string &outPath, files::OutputFile &out) {
  Checksum checksum;
  uint64_t elfBytes = 0;
  std::string elfPath = elf.path();
  std::string failure = out.adopt(std::move(elf), outPath);
  if (failure.empty())
    failure = readAll(elfPath, elfBytes, [&](const char *data, size_t bytes) {
      checksum.add(data, bytes);
      return std::string();
    });
  return failure.empty() ? finish(out, checksum, elfBytes, sealing) : failure;
}

} // namespace npu::format
