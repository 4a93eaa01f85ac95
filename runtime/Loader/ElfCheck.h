// SPDX-License-Identifier: Apache-2.0
//
// What the dynamic loader would do with the ELF part of a .npu file, read off
// its headers before it is asked to: a file that it runs code of, or that needs
// more than itself, is refused.
#ifndef NPU_RUNTIME_LOADER_ELFCHECK_H
#define NPU_RUNTIME_LOADER_ELFCHECK_H

#include <cstdint>
#include <string>

namespace npu::runtime {

/// Of the first `elfBytes` of an open file: nothing in them makes dlopen() or
/// dlsym() run code, load another library, look a name up elsewhere, or read
/// and write outside of the image; no memory is writable and executable.
/// Returns an empty string, or one clause that says what was found.
std::string checkElf(int fd, uint64_t elfBytes);

} // namespace npu::runtime

#endif // NPU_RUNTIME_LOADER_ELFCHECK_H
