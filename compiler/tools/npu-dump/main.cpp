// SPDX-License-Identifier: Apache-2.0
//
// npu-dump: what is in a .npu file. It never runs anything of the file.
#include "compiler/tools/npu-dump/Print.h"
#include "files/command_line.h"
#include "files/last_words.h"
#include "files/output_files.h"
#include "files/shown_text.h"
#include "files/standard_output.h"
#include "files/temporaries.h"

#include "llvm/Support/FormatVariadic.h"

using namespace npu::dump;

namespace files = npu::files;

static const char *const examples = R"(  npu-dump model.npu
  npu-dump model.npu --signature
  npu-dump model.npu --kernels --json
  npu-dump model.npu --chip
)";

static int fail(const std::string &message, files::ExitCode code) {
  llvm::errs() << "npu-dump: error: " << files::shownMessage(message) << "\n";
  return code;
}

static void addOptions(CLI::App &app, std::string &path, Parts &parts,
                       bool &asJson) {
  app.add_option("file", path, "the .npu file")->required();
  app.option_defaults()->group("Parts");
  app.add_flag("--signature", parts.signature,
               "model, target, processor, inputs and outputs");
  app.add_flag("--kernels", parts.kernels,
               "kernels with operands, layouts and fused functions");
  app.add_flag("--memory", parts.memory, "arena and weights");
  app.add_flag("--sections", parts.sections, "sections of the ELF part");
  app.add_flag("--disassemble", parts.disassembly, "generated functions");
  app.add_flag("--manifest", parts.manifest,
               "the manifest as it is stored (docs/manifest.schema.json)");
  auto *chip = app.add_flag("--chip", parts.chip,
                            "the chip's program (npuc --chip-program), one "
                            "line for each command");
  app.option_defaults()->group("Form");
  app.add_flag("--json", asJson,
               "one JSON object instead of text (docs/dump.schema.json)")
      ->excludes(chip);
}

static int run(int argc, char **argv) {
  CLI::App app("npu-dump shows what is in a .npu file: signature, layouts, "
               "kernels, memory, sections, code. It runs nothing of the file.",
               "npu-dump");
  std::string path;
  Parts parts;
  bool asJson = false;
  addOptions(app, path, parts, asJson);
  files::prepareCommandLine(
      app, {NPU_VERSION,
            "Without a choice of parts it prints all but --disassemble, "
            "--manifest and --chip.\n",
            examples,
            {files::exitSuccess, files::exitUsage, files::exitOutput,
             files::exitMemory, files::exitInput}});
  if (auto code = files::readCommandLine(app, argc, argv))
    return *code;
  bool isChosen = parts.signature || parts.kernels || parts.memory ||
                  parts.sections || parts.disassembly || parts.manifest ||
                  parts.chip;
  if (!isChosen)
    parts.signature = parts.kernels = parts.memory = parts.sections = true;

  files::OutputFiles outputs;
  outputs.reads("the program", path);
  outputs.writes("standard output", files::standardOutput);
  if (std::string clash = outputs.clash(); !clash.empty())
    return fail(clash, files::exitUsage);
  // All of it first: no half output in front of an error.
  std::string text;
  llvm::raw_string_ostream out(text);
  try {
    ProgramFile file = readProgram(path);
    if (asJson)
      out << files::shownJson(llvm::formatv("{0:2}\n", toJson(file, parts)));
    else
      printText(out, file, parts);
  } catch (const DumpError &error) {
    return fail("'" + path + "' " + error.what(), files::exitInput);
  }
  std::string failure = files::print(text);
  return failure.empty() ? files::exitSuccess
                         : fail(failure, files::exitOutput);
}

int main(int argc, char **argv) {
  files::prepareProcess();
  files::prepareLastWords("npu-dump");
  int code = run(argc, argv);
  llvm::errs().clear_error(); // or LLVM ends with an abort
  return files::finishOutput("npu-dump", code);
}
