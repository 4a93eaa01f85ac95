// SPDX-License-Identifier: Apache-2.0
#include "compiler/tools/npuc/CommandLine.h"

#include "compiler/Target/Coverage.h"
#include "compiler/Target/Plugins.h"
#include "compiler/Target/TargetNames.h"
#include "files/command_line.h"
#include "files/progress_line.h"
#include "files/shown_text.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

using namespace npu;

void npu::printMessage(const char *word, const std::string &text) {
  files::clearProgress();
  llvm::errs() << "npuc: " << word << ": " << files::shownMessage(text) << "\n";
}

static const char *const examples = R"(  npuc model.onnx -o model.npu
  npuc model.tflite -o model.npu --batch=1
  npuc model.onnx -o model.npu --target=npu-nhwc --layout=naive --batch=4
  npuc model.onnx --input-shape=image=1,3,640,640 --report=report.json
  npuc model.onnx --emit=mlir -o -        # the graph after the layout stage
  npuc model.onnx --emit=mlir --stage=planned -o -  # with memory and tiles
  npuc model.onnx --emit=asm -o model.s   # the generated code
  npuc model.onnx --reduce=small.onnx     # the nodes that npuc fails on
)";

static const std::vector<files::ExitCode> exitCodes = {
    files::exitSuccess, files::exitModel,    files::exitUsage,
    files::exitOutput,  files::exitBudget,   files::exitUnsupported,
    files::exitMemory,  files::exitUnproved, files::exitInput};

/// What the options cannot say in a line.
static std::string furtherHelp() {
  std::string text = "Budgets:\n";
  for (const BudgetRow &row : budgetRows())
    text +=
        llvm::formatv("  {0,-10} {1,10} {2}\n", row.name, row.usual, row.what);
  return text + "\nMLIR's own options (--mlir-help lists them):\n"
                "  --mlir-print-ir-after-all, --mlir-print-ir-before=PASS, "
                "--mlir-timing,\n"
                "  --mlir-pass-statistics, --mlir-disable-threading, ...\n";
}

/// --reduce: which runs another program.
namespace {
struct ReduceOptions {
  std::string output, test;
};
} // namespace

static void addFiles(CLI::App &app, NpucOptions &options) {
  CompileOptions &compile = options.driver.compile;
  app.option_defaults()->group("Files");
  app.add_option("model", compile.model,
                 "the network: .onnx, .tflite, or .mlir (text or bytecode) in "
                 "TOSA or the npu dialect");
  app.add_option("-o,--output", compile.output,
                 "file to write, - for standard output [MODEL.npu]")
      ->type_name("FILE");
  app.add_option("--report", options.reportPath,
                 "writes what was decided as JSON (docs/report.schema.json)")
      ->type_name("FILE.json");
  app.add_option("--write-layout-plan", options.planPath,
                 "writes every layout (docs/layout-plan.md)")
      ->type_name("FILE.yaml");
  app.add_option("--write-costs", options.costsPath,
                 "writes the program's kernels with the model's cycles, for "
                 "measured ones to be filled in (docs/measured-costs.md)")
      ->type_name("FILE.csv");
  app.add_option("--certificate", options.certificatePath,
                 "writes what optimal chose among, its choice and a proof that "
                 "none is cheaper, for npu-check-certificate; exit code 7 if "
                 "there is none")
      ->type_name("FILE.json");
}

static void addQuestions(CLI::App &app, NpucOptions &options,
                         ReduceOptions &reduce) {
  app.option_defaults()->group("Questions");
  app.add_flag("--explain-layout", options.driver.wantsExplanation,
               "says of each relayout that is left what forces it, and which "
               "change would remove it (--report then has it, too)");
  app.add_flag("--explain-placement", options.explainPlacement,
               "says of each op that the processor runs why, and which change "
               "would bring it on the chip");
  app.add_flag("--check-target{-}", options.checkedTarget,
               "compiles nothing: reads the target's file (=FILE.yaml, or "
               "--target's) and says of each op that it has conditions for "
               "which cases no entry takes, and which groups are one kernel");
  app.add_option("--reduce", reduce.output,
                 "compiles nothing: writes the smallest part of the model on "
                 "which npuc fails in the same way (npu-reduce --help)")
      ->type_name("FILE.onnx");
  app.add_option("--reduce-test", reduce.test,
                 "with --reduce: a command that fails instead of npuc; {} in "
                 "it is the model")
      ->type_name("COMMAND");
  app.add_flag("-q,--quiet", options.quiet, "prints errors only");
}

/// What was given, each option as one word: who does not know npuc's options
/// takes the value of "--target chip.yaml" for the model.
static std::vector<std::string> wordsOf(const CLI::App &app) {
  std::vector<std::string> words;
  for (const CLI::Option *option : app.get_options()) {
    std::string name = option->get_name(); // of a positional without dashes
    if (name == "--output") // each part is compiled into a file of its own
      continue;
    bool isFlag = option->get_items_expected_max() == 0;
    for (const std::string &value : option->results())
      words.push_back(isFlag                     ? name
                      : option->get_positional() ? value
                                                 : name + "=" + value);
  }
  return words;
}

/// Those of the words that decide what the modules of the stages are.
static std::vector<std::string> decidingWords(const CLI::App &app) {
  std::vector<std::string> words = wordsOf(app);
  llvm::erase_if(words, [](StringRef word) {
    StringRef name = word.split('=').first;
    if (!name.consume_front("--"))
      return false; // the model
    return name == "emit" || name == "stage" || name.starts_with("max-") ||
           !isOption(name.str());
  });
  return words;
}

/// --check-target.
static int checkTarget(const CompileOptions &options) {
  std::string message;
  auto refuse = [&](bool isUsage) {
    printMessage("error", message);
    return isUsage ? files::exitUsage : files::exitInput;
  };
  AllowedPlugins allowed;
  allowed.all = options.allowTargetPlugins;
  // Before the target: demands may speak of their ops.
  auto named = loadPlugins(options.plugins, message);
  if (!named)
    return refuse(false);
  allowed.named = std::move(*named);
  std::optional<TargetSpec> target =
      loadTarget(options.target, message, allowed);
  if (!target)
    return refuse(!isTargetThere(options.target));
  if (!chooseFallback(*target, options.fallback, message, allowed))
    return refuse(!isTargetThere(options.fallback));
  llvm::outs() << coverageText(*target) << fusesText(*target);
  return files::exitSuccess;
}

/// Names of files; false after a message.
static bool nameFiles(NpucOptions &options) {
  CompileOptions &compile = options.driver.compile;
  if (compile.output.empty())
    compile.output = defaultOutput(compile);
  for (std::string *path :
       {&compile.output, &options.reportPath, &options.planPath,
        &options.costsPath, &options.certificatePath})
    if (*path == "-")
      *path = files::standardOutput;
  if (compile.output != files::standardOutput || compile.emit != EmitKind::Npu)
    return true;
  printMessage("error", "a .npu file cannot go to standard output; name a file "
                        "with -o");
  return false;
}

/// --check-target=FILE is --check-target --target=FILE.
static void finishCheckedTarget(CLI::App &app, NpucOptions &options) {
  std::string &target = options.driver.compile.target;
  if (options.checkedTarget.empty() || options.checkedTarget == "-")
    return;
  if (app.count("--target") > 0 && target != options.checkedTarget)
    throw CLI::ValidationError("--check-target: '" + options.checkedTarget +
                               "' and --target: '" + target +
                               "' are two targets; give one of them");
  target = options.checkedTarget;
}

/// What was read, checked; throws CLI::ParseError.
static void finish(CLI::App &app, NpucOptions &options, OptionReader &reader,
                   const ReduceOptions &reduce) {
  DriverOptions &driver = options.driver;
  finishCheckedTarget(app, options);
  if (options.checkedTarget.empty() && driver.compile.model.empty())
    throw CLI::RequiredError("model");
  driver.wantsReport = !options.reportPath.empty();
  driver.wantsPlan = !options.planPath.empty();
  driver.wantsCertificate = !options.certificatePath.empty();
  reader.finish();
  if (!options.costsPath.empty() && driver.compile.emit == EmitKind::Mlir)
    throw CLI::ValidationError("--write-costs speaks of kernels, which "
                               "--emit=mlir does not plan");
  options.words = decidingWords(app);
  if (!reduce.test.empty() && reduce.output.empty())
    throw CLI::ValidationError("--reduce-test goes with --reduce");
  options.reducedPath = reduce.output;
  if (!reduce.output.empty())
    options.reduceWords = wordsOf(app);
}

int npu::parseCommandLine(int argc, char **argv, NpucOptions &options) {
  CLI::App app("npuc compiles a neural network to an NPU binary.", "npuc");
  ReduceOptions reduce;
  addFiles(app, options);
  OptionReader reader(app, options.driver);
  addQuestions(app, options, reduce);
  files::prepareCommandLine(app,
                            {NPU_VERSION, furtherHelp(), examples, exitCodes,
                             [&app] { OptionReader::namePlugins(app); }});
  if (auto code = files::readCommandLine(
          app, argc, argv, [&] { finish(app, options, reader, reduce); }))
    return *code;
  BudgetScope budgets(options.driver.budgets);
  if (!options.checkedTarget.empty())
    return checkTarget(options.driver.compile);
  return nameFiles(options) ? -1 : files::exitUsage;
}
