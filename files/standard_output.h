// SPDX-License-Identifier: Apache-2.0
//
// Standard output can fail like any file, and a program must say so.
#ifndef NPU_FILES_STANDARD_OUTPUT_H
#define NPU_FILES_STANDARD_OUTPUT_H

#include <string>

namespace npu::files {

/// Writes all of it. Returns an empty string, or one sentence.
std::string print(const std::string &text);

/// The end of main(): flushes what std::cout and printf still hold. Returns
/// `code`; if something did not arrive, exitOutput after a message.
int finishOutput(const char *program, int code);

} // namespace npu::files

#endif // NPU_FILES_STANDARD_OUTPUT_H
