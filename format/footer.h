// SPDX-License-Identifier: Apache-2.0
//
// The end of a .npu file: seal() turns an ELF shared object, a manifest and
// what else comes with them into a .npu file, readSealed() checks one without
// running anything of it.
#ifndef NPU_FORMAT_FOOTER_H
#define NPU_FORMAT_FOOTER_H

#include "files/output_files.h"
#include "format/program_format.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace npu::format {

/// What stands behind the ELF part.
struct Sealing {
  std::string manifest;
  std::string chip; ///< the chip's program (docs/chip-program.md); empty: none
};

/// Writes `outPath` = the bytes of `elfPath`, manifest, chip's program,
/// npu_footer, whole or not at all. Returns an empty string, or one sentence
/// that says what failed.
std::string seal(const std::string &elfPath, const Sealing &sealing,
                 const std::string &outPath);

/// As seal(), but `elf`, in the folder of `outPath`, becomes the .npu file:
/// nothing is copied. It gets its name when the caller commits `out`.
std::string sealInPlace(files::TemporaryName elf, const Sealing &sealing,
                        const std::string &outPath, files::OutputFile &out);

enum class ReadError { None, CannotRead, BadFile, WrongVersion };

struct Sealed : Sealing {
  ReadError error = ReadError::None;
  std::string message; ///< one sentence if error is not None
  uint64_t elfBytes = 0;
  uint64_t fileBytes = 0;
};

/// Reads exactly `bytes` at `offset`, by read() instead of a mapping: a file
/// that shrinks meanwhile is then an error, not a SIGBUS. False: errno says
/// why.
bool readAt(int fd, void *data, size_t bytes, uint64_t offset);

/// Checks footer and checksum of the open file `fd`, called `path` in messages.
Sealed readSealed(int fd, const std::string &path);

} // namespace npu::format

#endif // NPU_FORMAT_FOOTER_H
