// SPDX-License-Identifier: Apache-2.0
//
// npu-layout-diff: what changed between two reports of npuc.
#include "compiler/tools/npu-layout-diff/Compare.h"
#include "files/last_words.h"
#include "files/shown_text.h"
#include "files/standard_output.h"
#include "files/temporaries.h"
#include "files/usage_error.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <sstream>

using namespace npu::diff;

enum ExitCode { exitSame = 0, exitDifferent = 1, exitError = 2 };

static const char *const footer = R"(Examples:
  npuc model.onnx --report=before.json
  npuc model.onnx --layout=naive --report=after.json
  npu-layout-diff before.json after.json
  npu-layout-diff --json before.json after.json | jq .relayouts.new

Lines begin with - for what is gone, + for what is new, ~ for what changed.
Exit codes: 0 the layouts are the same (whatever target, strategy and objective
are called), 1 they differ, 2 an error.)";

static int run(int argc, char **argv) {
  CLI::App app("npu-layout-diff: what changed between two reports of npuc: "
               "relayouts, the layouts and implementations of kernels, cost "
               "and proof, memory.",
               "npu-layout-diff");
  app.footer(footer);
  std::string before, after;
  bool asJson = false;
  app.add_option("before", before, "A.json, written by npuc --report")
      ->required();
  app.add_option("after", after, "B.json, written by npuc --report")
      ->required();
  app.add_flag("--json", asJson, "One JSON object instead of text");
  try {
    app.failure_message(npu::files::usageError);
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? exitSame : exitError;
  }
  try {
    Report first = readReport(before);
    Difference difference = compare(first, readReport(after));
    std::ostringstream text;
    if (asJson)
      text << toJson(difference);
    else
      printText(text, first, difference);
    std::string failure = npu::files::print(text.str());
    if (!failure.empty())
      throw ReportError(failure);
    return difference.empty() ? exitSame : exitDifferent;
  } catch (const ReportError &error) {
    std::cerr << "npu-layout-diff: error: "
              << npu::files::shownMessage(error.what()) << "\n";
    return exitError;
  }
}

int main(int argc, char **argv) {
  npu::files::prepareProcess();
  npu::files::prepareLastWords("npu-layout-diff", exitError);
  return npu::files::finishOutput("npu-layout-diff", run(argc, argv),
                                  exitError);
}
