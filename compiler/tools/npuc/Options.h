// SPDX-License-Identifier: Apache-2.0
//
// npuc's command line as a struct.
#ifndef NPU_COMPILER_TOOLS_NPUC_OPTIONS_H
#define NPU_COMPILER_TOOLS_NPUC_OPTIONS_H

#include "compiler/Pipeline/Compiler.h"

#include <map>

namespace npu {

/// Exit codes. What they mean is said once, in exitCodes of Options.cpp, which
/// --help prints; a test holds docs/npuc.md to that.
enum ExitCode {
  exitModel = 1,
  exitUsage = 2,
  exitOutput = 3,
  exitBudget = 4,
  exitUnsupported = 5,
  exitMemory = 6,
  exitUnproved = 7
};

/// "npuc: error: ..." on one line, whatever names are in it.
void printMessage(const char *word, const std::string &text);

struct NpucOptions {
  CompileOptions compile;
  std::map<std::string, std::string> boundFiles; // NAME: FILE.npy
  std::string reportPath;
  std::string planPath;       // --write-layout-plan
  std::string pinnedPlanPath; // --layout-plan
  std::string certificatePath;
  bool explainLayout = false;
  bool explainPlacement = false;
  bool checkTarget = false;
  bool quiet = false;
};

/// Reads the command line; returns the exit code if the program ends here (0
/// after --help), -1 if it goes on.
int parseOptions(int argc, char **argv, NpucOptions &options);

/// Loads the files of --bind-input; false after a message.
bool bindInputs(MLIRContext &context, NpucOptions &options);

} // namespace npu

#endif // NPU_COMPILER_TOOLS_NPUC_OPTIONS_H
