// SPDX-License-Identifier: Apache-2.0
#include "compiler/tools/npuc/CommandLine.h"

#include "compiler/Target/Coverage.h"
#include "compiler/Target/Plugins.h"
#include "files/shown_text.h"
#include "files/usage_error.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <unistd.h>

using namespace npu;

void npu::printMessage(const char *word, const std::string &text) {
  llvm::errs() << "npuc: " << word << ": " << files::shownMessage(text) << "\n";
}

static const char *const examples = R"(Examples:
  npuc model.onnx -o model.npu
  npuc model.tflite -o model.npu --batch=1
  npuc model.onnx -o model.npu --target=npu-nhwc --layout=naive --batch=4
  npuc model.onnx --input-shape=image=1,3,640,640 --report=report.json
  npuc model.onnx --emit=mlir -o -        # the graph after the layout stage
  npuc model.onnx --emit=mlir --stage=planned -o -  # with memory and tiles
  npuc model.onnx --emit=asm -o model.s   # the generated code
  npuc model.onnx --reduce=small.onnx     # the nodes that npuc fails on
)";

static const struct {
  int code;
  const char *meaning;
} exitCodes[] = {
    {0, "compiled"},
    {exitModel, "the model cannot be compiled, for this target and with these "
                "inputs"},
    {exitUsage, "wrong usage: an option, target, strategy or processor that is "
                "not there, or an output that would replace an input or "
                "another output"},
    {exitOutput, "an output cannot be written; then none is"},
    {exitBudget, "more relayouts than --max-transposes or --max-relayout-bytes "
                 "allows, or more ops beside the chip than --max-fallback-ops"},
    {exitUnsupported,
     "the model uses what npuc does not support: an operator, an element type, "
     "a combination of attributes, a shape or a loop that depends on data"},
    {exitMemory, "memory or stack was used up"},
    {exitUnproved, "nothing proves the layouts that --certificate asks a proof "
                   "of; then nothing is written"},
};

static std::string footer() {
  std::string text = std::string(examples) + "\nBudgets:\n";
  for (const BudgetRow &row : budgetRows())
    text +=
        llvm::formatv("  {0,-10} {1,10} {2}\n", row.name, row.usual, row.what);
  text += "\nMLIR's own options (--mlir-help lists them):\n"
          "  --mlir-print-ir-after-all, --mlir-print-ir-before=PASS, "
          "--mlir-timing,\n"
          "  --mlir-pass-statistics, --mlir-disable-threading, ...\n"
          "\nExit codes:\n";
  for (const auto &[code, meaning] : exitCodes)
    text += "  " + std::to_string(code) + "  " + meaning + "\n";
  return text;
}

/// --reduce: which runs another program.
namespace {
struct ReduceOptions {
  std::string output, test;
};
} // namespace

static void addFiles(CLI::App &app, NpucOptions &options) {
  CompileOptions &compile = options.driver.compile;
  app.add_option("model", compile.model,
                 "the network: .onnx, .tflite, or .mlir (text or bytecode) in "
                 "TOSA or the npu dialect");
  app.add_option("-o,--output", compile.output,
                 "file to write, - for standard output [MODEL.npu]");
  app.add_option("--report", options.reportPath,
                 "writes what was decided as JSON (docs/report.schema.json)");
  app.add_option("--write-layout-plan", options.planPath,
                 "writes every layout to a .yaml file (docs/layout-plan.md)");
  app.add_option("--write-costs", options.costsPath,
                 "writes the program's kernels with the model's cycles, for "
                 "measured ones to be filled in (docs/measured-costs.md) "
                 "(.csv)");
  app.add_option("--certificate", options.certificatePath,
                 "writes what optimal chose among, its choice and a proof that "
                 "none is cheaper, for npu-check-certificate (.json); exit "
                 "code 7 if there is none");
}

static void addQuestions(CLI::App &app, NpucOptions &options,
                         ReduceOptions &reduce) {
  app.add_flag("--explain-layout", options.driver.wantsExplanation,
               "says of each relayout that is left what forces it, and which "
               "change would remove it (--report then has it, too)");
  app.add_flag("--explain-placement", options.explainPlacement,
               "says of each op that the processor runs why, and which change "
               "would bring it on the chip");
  app.add_flag("--check-target", options.checkTarget,
               "compiles nothing: reads the target's file and says of each op "
               "that it has conditions for which cases no entry takes");
  app.add_option("--reduce", reduce.output,
                 "compiles nothing: writes the smallest part of the model on "
                 "which npuc fails in the same way (npu-reduce --help)");
  app.add_option("--reduce-test", reduce.test,
                 "with --reduce: a command that fails instead of npuc; {} in "
                 "it is the model");
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

/// npu-reduce, beside npuc, gets the same words and calls npuc with those that
/// are not its own. It takes this process over, so that a signal ends it too.
static int runReducer(const CLI::App &app, const char *program) {
  std::string self = llvm::sys::fs::getMainExecutable(
      program, reinterpret_cast<void *>(&runReducer));
  llvm::SmallString<128> path(llvm::sys::path::parent_path(self));
  llvm::sys::path::append(path, "npu-reduce");
  std::vector<std::string> given = wordsOf(app);
  std::vector<char *> words = {path.data()};
  (void)path.c_str(); // ends it with a zero
  for (std::string &word : given)
    words.push_back(word.data());
  words.push_back(nullptr);
  llvm::errs().flush();
  execv(words[0], words.data());
  llvm::errs() << "npuc: error: cannot run '" << path
               << "': " << std::strerror(errno)
               << "; it lies beside npuc in a build folder\n";
  return exitUsage;
}

/// --check-target.
static int checkTarget(const CompileOptions &options) {
  std::string message;
  std::optional<TargetSpec> target;
  AllowedPlugins allowed;
  allowed.all = options.allowTargetPlugins;
  // Before the target: demands may speak of their ops.
  if (auto named = loadPlugins(options.plugins, message)) {
    allowed.named = std::move(*named);
    target = loadTarget(options.target, message, allowed);
  }
  if (!target || !chooseFallback(*target, options.fallback, message, allowed)) {
    printMessage("error", message);
    return exitUsage;
  }
  llvm::outs() << coverageText(*target);
  return 0;
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

int npu::parseCommandLine(int argc, char **argv, NpucOptions &options) {
  CLI::App app("npuc compiles a neural network to an NPU binary.", "npuc");
  app.footer(footer());
  app.set_version_flag("--version", "npuc " NPU_VERSION);
  app.option_defaults()->always_capture_default(false);
  DriverOptions &driver = options.driver;
  ReduceOptions reduce;
  addFiles(app, options);
  OptionReader reader(app, driver);
  addQuestions(app, options, reduce);
  try {
    app.failure_message(files::usageError);
    app.parse(argc, argv);
    if (!options.checkTarget && driver.compile.model.empty())
      throw CLI::RequiredError("model");
    driver.wantsReport = !options.reportPath.empty();
    driver.wantsPlan = !options.planPath.empty();
    driver.wantsCertificate = !options.certificatePath.empty();
    reader.finish();
    if (!options.costsPath.empty() && driver.compile.emit == EmitKind::Mlir)
      throw CLI::ValidationError("--write-costs speaks of kernels, which "
                                 "--emit=mlir does not plan");
    options.words = decidingWords(app);
    BudgetScope budgets(driver.budgets);
    if (options.checkTarget)
      return checkTarget(driver.compile);
    if (!reduce.test.empty() && reduce.output.empty())
      throw CLI::ValidationError("--reduce-test goes with --reduce");
    if (!reduce.output.empty())
      return runReducer(app, argv[0]);
  } catch (const CLI::ParseError &error) {
    OptionReader::namePlugins(app);
    return app.exit(error) == 0 ? 0 : exitUsage;
  }
  return nameFiles(options) ? -1 : exitUsage;
}
