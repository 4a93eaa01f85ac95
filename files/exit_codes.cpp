// SPDX-License-Identifier: Apache-2.0

#include "files/exit_codes.h"

namespace npu::files {

const char *meaningOf(ExitCode code) {
  static const char *const meanings[] = {
      "success",
      "the model cannot be compiled or run, or results differ from what is "
      "expected",
      "wrong usage: an option, a value or a name that does not exist, or an "
      "output that would replace an input",
      "an output cannot be written; then none is",
      "a budget that the user set is exceeded",
      "the model uses what npuc does not support",
      "memory or stack was used up",
      "nothing proves the layouts",
      "an input file that is not the model (a .npu file, target, plan, plugin, "
      "array, certificate or report) cannot be read, is damaged or does not "
      "fit"};
  return meanings[code];
}

std::string exitCodeLines(const std::vector<ExitCode> &codes) {
  std::string text;
  for (ExitCode code : codes)
    text += "  " + std::to_string(code) + "  " + meaningOf(code) + "\n";
  return text;
}

} // namespace npu::files
