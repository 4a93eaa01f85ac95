// SPDX-License-Identifier: Apache-2.0
//
// The compiler's options as users write them, whichever way they call it: on
// npuc's command line, from C, from Python. Names, values and what they mean
// stand here only.
#ifndef NPU_COMPILER_DRIVER_OPTIONS_H
#define NPU_COMPILER_DRIVER_OPTIONS_H

#include "compiler/Pipeline/Compiler.h"
#include "compiler/Support/Budget.h"

#include <map>
#include <memory>

namespace CLI {
class App;
} // namespace CLI

namespace npu {

struct DriverOptions {
  DriverOptions();
  CompileOptions compile;
  std::map<std::string, std::string> boundFiles; // NAME: FILE.npy
  std::string pinnedPlanPath;                    // --layout-plan
  BudgetLimits budgets = usualLimits();
  // What is asked for beside the program.
  bool wantsReport = false;
  bool wantsExplanation = false; // of the layouts
  bool wantsPlan = false;
  bool wantsCertificate = false;
};

/// Adds the options to a command line, which may have others, too.
class OptionReader {
public:
  OptionReader(CLI::App &app, DriverOptions &options);
  ~OptionReader();

  /// Has the help tell what the plugins bring that were named before it.
  static void namePlugins(CLI::App &app);

  /// After parsing, and after wants... are set: what needs work. Throws
  /// CLI::ParseError.
  void finish();

private:
  struct Raw;
  DriverOptions &options;
  std::unique_ptr<Raw> raw;
};

/// The same from words such as "--target=npu-nhwc"; empty, or one sentence.
std::string readOptions(const std::vector<std::string> &words,
                        DriverOptions &options);

/// Whether there is an option of this name (without dashes).
bool isOption(const std::string &name);
/// "target, fallback, ...".
std::string optionNames();
/// Each option as an object of a JSON array: docs/compiler-api.md.
std::string optionTable();
/// What is wrong with a name that is none.
std::string unknownOption(const std::string &name);

/// MODEL.npu, MODEL.s, ... in the current folder.
std::string defaultOutput(const CompileOptions &options);

/// Loads the files of --bind-input; empty, or one sentence.
std::string bindInputs(MLIRContext &context, DriverOptions &options);

} // namespace npu

#endif // NPU_COMPILER_DRIVER_OPTIONS_H
