// SPDX-License-Identifier: Apache-2.0
//
// What the command lines of all programs have in common: --help, --version,
// --completion, errors that propose what was meant, exit codes.
#ifndef NPU_FILES_COMMAND_LINE_H
#define NPU_FILES_COMMAND_LINE_H

#include "files/exit_codes.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace npu::files {

/// What --help says besides the options. The app has the program's name and
/// what it is for.
struct ProgramFacts {
  std::string version;         ///< behind the name: "0.1.0"
  std::string more;            ///< paragraphs after the options; may be empty
  const char *examples;        ///< lines
  std::vector<ExitCode> codes; ///< with which it ends
  /// Has the help tell what only other words of the command line say.
  std::function<void()> beforeHelp = {};
};

/// After the program's own options are added.
void prepareCommandLine(CLI::App &app, const ProgramFacts &facts);

/// Reads the words. An option that may be repeated takes one value each time,
/// so that it never swallows what follows. `finish` checks what was read, and
/// may throw CLI::ParseError. The exit code if the program ends here: after
/// --help and the like, or after an error on one line.
std::optional<int> readCommandLine(CLI::App &app, int argc, char **argv,
                                   const std::function<void()> &finish = {});

/// The same rule for an app whose words do not come from main().
void takeOneValueEach(CLI::App &app);

/// What is wrong with the words that the app did not understand; empty if it
/// understood all.
std::string unknownWords(const CLI::App &app);

/// An input file, named by an option, that cannot be read or is damaged.
class InputError : public CLI::ValidationError {
public:
  explicit InputError(const std::string &message)
      : CLI::ValidationError("InputError", message, exitInput) {}
};

/// Checks that a value is one of these, which --completion proposes.
CLI::Validator oneOf(const std::vector<std::string> &names);
/// Checks nothing: files and what plugins bring are allowed, too.
CLI::Validator suchAs(const std::vector<std::string> &names);
/// The names of oneOf() or suchAs(); `isOpen` after suchAs().
std::vector<std::string> namesOf(const CLI::Option &option, bool &isOpen);

/// A number within ends; CLI::Range takes nan for one.
CLI::Validator numberFrom(double least, double most);
/// A whole number within ends; CLI::Range says of "1.5" that it lies outside.
CLI::Validator wholeFrom(int64_t least, int64_t most);

/// The script that completes the program's words in this shell: bash, zsh or
/// fish.
std::string completionScript(const CLI::App &app, const std::string &shell);

} // namespace npu::files

#endif // NPU_FILES_COMMAND_LINE_H
