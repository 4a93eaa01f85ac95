// SPDX-License-Identifier: Apache-2.0
//
// What a program leaves that ends with a signal by an error of ours: a folder
// with all that is needed to find out why.
#ifndef NPU_FILES_CRASH_REPORT_H
#define NPU_FILES_CRASH_REPORT_H

#include <string>
#include <string_view>
#include <vector>

namespace npu::files {

/// Who sets this variable gets no folder.
inline constexpr const char *noCrashReport = "NPU_NO_CRASH_REPORT";

/// Once in main(), behind prepareLastWords(). `versions`: of the program and
/// the libraries that it stands on.
void prepareCrashReport(const std::string &versions, int argc, char **argv);

/// What the program is at from now on.
void setCrashStage(std::string_view stage);

/// The folder's `before.mlir`, what the stage began with: a text, which stays
/// where it is; or the standard output of this program when it is called with
/// these words. None: without words.
void setCrashInput(std::string_view text);
void setCrashCommand(std::vector<std::string> words);

/// Leaves the folder and says where it is. Called by a handler of signals.
void reportCrash(const char *program, int signal);

} // namespace npu::files

#endif // NPU_FILES_CRASH_REPORT_H
