// SPDX-License-Identifier: Apache-2.0
//
// npuc's command line as a struct.
#ifndef NPU_COMPILER_TOOLS_NPUC_COMMANDLINE_H
#define NPU_COMPILER_TOOLS_NPUC_COMMANDLINE_H

#include "compiler/Driver/Options.h"
#include "files/exit_codes.h"

namespace npu {

/// "npuc: error: ..." on one line, whatever names are in it.
void printMessage(const char *word, const std::string &text);

struct NpucOptions {
  DriverOptions driver;
  std::string reportPath;
  std::string planPath;  // --write-layout-plan
  std::string costsPath; // --write-costs
  std::string certificatePath;
  bool explainPlacement = false;
  std::string
      checkedTarget; ///< of --check-target: a target, or - for --target's
  bool quiet = false;
  /// --reduce: where to, and the words of npu-reduce, which runs instead.
  std::string reducedPath;
  std::vector<std::string> reduceWords;
  /// The model and what was said of how it is compiled, each option as one
  /// word: what leads another npuc to the same modules.
  std::vector<std::string> words;
};

/// Reads the command line; returns the exit code if the program ends here (0
/// after --help), -1 if it goes on.
int parseCommandLine(int argc, char **argv, NpucOptions &options);

} // namespace npu

#endif // NPU_COMPILER_TOOLS_NPUC_COMMANDLINE_H
