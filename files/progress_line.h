// SPDX-License-Identifier: Apache-2.0
//
// The line on a terminal that says what a program is at. Whoever prints there
// wipes it off first, or both would stand on one line.
#ifndef NPU_FILES_PROGRESS_LINE_H
#define NPU_FILES_PROGRESS_LINE_H

#include <string_view>

namespace npu::files {

/// Replaces the line by this text. Does nothing where standard error is no
/// terminal, or one that must not be sent control sequences (TERM=dumb or none,
/// NO_COLOR).
void showProgress(std::string_view text);

/// Wipes the line off, if there is one. Safe in a signal handler.
void clearProgress();

} // namespace npu::files

#endif // NPU_FILES_PROGRESS_LINE_H
