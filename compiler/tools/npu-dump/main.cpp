// SPDX-License-Identifier: Apache-2.0
//
// npu-dump: what is in a .npu file. It never runs anything of the file.
#include "compiler/tools/npu-dump/Print.h"
#include "files/last_words.h"
#include "files/output_files.h"
#include "files/shown_text.h"
#include "files/standard_output.h"
#include "files/temporaries.h"
#include "files/usage_error.h"

#include "llvm/Support/FormatVariadic.h"

#include <CLI/CLI.hpp>

using namespace npu::dump;

static constexpr int exitUsage = 2;
static constexpr int exitFile = 3;
static constexpr int exitOutput = 4;

static int run(int argc, char **argv) {
  CLI::App app("npu-dump: what is in a .npu file: signature, layouts, kernels, "
               "memory, sections, code. It runs nothing of the file.",
               "npu-dump");
  app.footer(
      "Without a choice it prints all but --disassemble and --manifest.\n"
      "Exit codes: 0 shown, 2 wrong usage, 3 the file cannot be read or "
      "is damaged, 4 the output cannot be written.");
  std::string path;
  Parts parts;
  bool asJson = false;
  app.add_option("file", path, "model.npu")->required();
  app.add_flag("--signature", parts.signature,
               "Model, target, processor, inputs and outputs");
  app.add_flag("--kernels", parts.kernels,
               "Kernels with operands, layouts and fused functions");
  app.add_flag("--memory", parts.memory, "Arena and weights");
  app.add_flag("--sections", parts.sections, "Sections of the ELF part");
  app.add_flag("--disassemble", parts.disassembly, "Generated functions");
  app.add_flag("--manifest", parts.manifest, "The manifest as it is stored");
  app.add_flag("--json", asJson, "One JSON object instead of text");
  try {
    app.failure_message(npu::files::usageError);
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : exitUsage;
  }
  bool isChosen = parts.signature || parts.kernels || parts.memory ||
                  parts.sections || parts.disassembly || parts.manifest;
  if (!isChosen)
    parts.signature = parts.kernels = parts.memory = parts.sections = true;

  npu::files::OutputFiles files;
  files.reads("the program", path);
  files.writes("standard output", npu::files::standardOutput);
  if (std::string clash = files.clash(); !clash.empty()) {
    llvm::errs() << "npu-dump: error: " << npu::files::shownMessage(clash)
                 << "\n";
    return exitUsage;
  }
  // All of it first: no half output in front of an error.
  std::string text;
  llvm::raw_string_ostream out(text);
  try {
    ProgramFile file = readProgram(path);
    if (asJson)
      out << npu::files::shownJson(
          llvm::formatv("{0:2}\n", toJson(file, parts)));
    else
      printText(out, file, parts);
  } catch (const DumpError &error) {
    llvm::errs() << "npu-dump: error: "
                 << npu::files::shownMessage("'" + path + "' " + error.what())
                 << "\n";
    return exitFile;
  }
  std::string failure = npu::files::print(text);
  if (failure.empty())
    return 0;
  llvm::errs() << "npu-dump: error: " << failure << "\n";
  return exitOutput;
}

int main(int argc, char **argv) {
  npu::files::prepareProcess();
  npu::files::prepareLastWords("npu-dump", exitFile);
  int code = run(argc, argv);
  llvm::errs().clear_error(); // or LLVM ends with an abort
  return npu::files::finishOutput("npu-dump", code, exitOutput);
}
