// SPDX-License-Identifier: Apache-2.0
#include "compiler/tools/npuc/Options.h"

#include "compiler/Layout/Problem/Boundary.h"
#include "compiler/Layout/Strategies/Colours.h"
#include "compiler/Support/Budget.h"
#include "compiler/Target/Coverage.h"
#include "files/shown_text.h"
#include "files/usage_error.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <optional>
#include <thread>
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
  text += "\nExit codes:\n";
  for (const auto &[code, meaning] : exitCodes)
    text += "  " + std::to_string(code) + "  " + meaning + "\n";
  return text;
}

/// Splits "NAME=VALUE"; throws what CLI11 prints.
static std::pair<std::string, std::string> split(const std::string &option,
                                                 const std::string &text) {
  size_t equal = text.rfind('=');
  if (equal == std::string::npos || equal == 0 || equal + 1 == text.size())
    throw CLI::ValidationError(option,
                               "'" + text + "' is not of the form NAME=VALUE");
  return {text.substr(0, equal), text.substr(equal + 1)};
}

static std::vector<int64_t> parseShape(const std::string &text) {
  std::vector<int64_t> shape;
  SmallVector<StringRef> parts;
  StringRef(text).split(parts, ',');
  for (StringRef part : parts) {
    int64_t extent = 0;
    if (part.trim().getAsInteger(10, extent) || extent < 0)
      throw CLI::ValidationError("--input-shape",
                                 "'" + part.str() + "' in '" + text +
                                     "' is not a size; write NAME=1,3,224,224");
    shape.push_back(extent);
  }
  return shape;
}

/// --emit: its value, what it means, the suffix of the file.
namespace {
struct EmitRow {
  const char *name;
  EmitKind kind;
  const char *suffix;
};
} // namespace
static const EmitRow emitTable[] = {
    {"npu", EmitKind::Npu, ".npu"},  {"mlir", EmitKind::Mlir, ".npu.mlir"},
    {"llvm", EmitKind::Llvm, ".ll"}, {"asm", EmitKind::Asm, ".s"},
    {"obj", EmitKind::Obj, ".o"},    {"html", EmitKind::Html, ".html"}};

static std::string emitNames() {
  std::string names;
  for (const EmitRow &row : emitTable)
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

static EmitKind parseEmit(const std::string &text) {
  for (const EmitRow &row : emitTable)
    if (text == row.name)
      return row.kind;
  throw CLI::ValidationError("--emit: unknown '" + text +
                             "', expected one of: " + emitNames());
}

/// Sizes are 64 bit; no network with more samples fits a memory.
static constexpr int64_t largestBatch = int64_t(1) << 31;

static constexpr int64_t largestBudget = int64_t(1) << 53;

/// Where the program goes if -o does not say: the current folder.
static std::string defaultOutput(const CompileOptions &options) {
  llvm::SmallString<128> path(llvm::sys::path::filename(options.model));
  for (const EmitRow &row : emitTable)
    if (row.kind == options.emit)
      llvm::sys::path::replace_extension(path, row.suffix);
  return path.str().str();
}

namespace {
/// Options that need work after parsing.
struct RawOptions {
  std::vector<std::string> inputShapes, bindInputs;
  std::vector<std::string> ioLayouts = {"fixed"};
  std::vector<std::string> desiredLayouts;
  std::string emit = "npu", objective = "time", maxBytes;
  std::string reduced, reduceTest;
  std::vector<std::string> budgets;
  std::optional<int64_t> batch;
};
} // namespace

/// How the model is read.
static void addImportOptions(CLI::App &app, CompileOptions &compile,
                             RawOptions &raw) {
  app.add_option("--input-shape", raw.inputShapes,
                 "NAME=1,3,224,224: binds unknown sizes of an input; may be "
                 "repeated");
  app.add_option("--batch", raw.batch,
                 "binds the unknown first size of every input")
      ->check(CLI::Range(int64_t(0), largestBatch));
  app.add_option("--bind-input", raw.bindInputs,
                 "NAME=FILE.npy: makes an input a constant; may be repeated");
  app.add_flag("--taps", compile.import.taps,
               "keeps every value that a node names as an output, which keeps "
               "kernels from being fused (npu-compare reads them)");
  app.add_option("--tflite-converter", compile.tfliteConverter,
                 "the program tosa-converter-for-tflite, which reads .tflite "
                 "models")
      ->envname("NPU_TFLITE_CONVERTER");
}

/// For which chip, and what it need not run.
static void addTargetOptions(CLI::App &app, NpucOptions &options) {
  CompileOptions &compile = options.compile;
  app.add_option("--target", compile.target,
                 "chip: a name of targets/ or a .yaml file")
      ->capture_default_str();
  app.add_flag("--check-target", options.checkTarget,
               "compiles nothing: reads the target's file and says of each op "
               "that it has conditions for which cases no entry takes");
  app.add_option("--fallback", compile.fallback,
                 "target of the processor that runs what the chip lacks, or "
                 "none [as the chip's file says]");
  app.add_flag("--explain-placement", options.explainPlacement,
               "says of each op that the processor runs why, and which change "
               "would bring it on the chip");
  app.add_option("--max-fallback-ops", compile.maxFallbackOps,
                 "exit code 4 if the processor runs more ops")
      ->check(CLI::Range(int64_t(0), largestBudget));
}

static void addOptions(CLI::App &app, NpucOptions &options, RawOptions &raw) {
  CompileOptions &compile = options.compile;
  app.add_option("model", compile.model,
                 "the network: .onnx, .tflite, or .mlir (text or bytecode) in "
                 "TOSA or the npu dialect");
  app.add_option("-o,--output", compile.output,
                 "file to write, - for standard output [MODEL.npu]");
  addTargetOptions(app, options);
  app.add_option("--layout", compile.layout.strategy,
                 "strategy that decides the layouts: " + strategyNames())
      ->capture_default_str();
  app.add_option("--objective", raw.objective,
                 "what optimal makes small: " + objectiveNames())
      ->capture_default_str();
  app.add_option("--layout-seconds", compile.layout.searchSeconds,
                 "how long optimal may search; then the best plan so far and "
                 "its distance from the bound")
      ->check(files::numberFrom(0, 1e6))
      ->capture_default_str();
  app.add_option("--io-layout", raw.ioLayouts,
                 "layout of inputs and outputs: fixed (as in the model) or "
                 "free; of one: NAME=fixed, NAME=free or NAME=NHWC; may be "
                 "repeated");
  app.add_option("--desired-layouts", raw.desiredLayouts,
                 "for --layout=convert: conv2d:NCHW:OIHW, conv2d:NHWC:default, "
                 "max_pool:NHWC, ...: data, then weight; may be repeated");
  app.add_option("--default-colour", compile.layout.decision.defaultColour,
                 "for --layout=preset: what inputs are that nothing tells "
                 "about: tensor, or image axes such as NCHW")
      ->capture_default_str();
  addImportOptions(app, compile, raw);
  app.add_option("--emit", raw.emit,
                 "what to write: " + emitNames() +
                     "; mlir on standard output leaves large weights out")
      ->capture_default_str();
  app.add_option("--mcpu", compile.mcpu,
                 "processor that generated code is for: native, x86-64-v3, ...")
      ->capture_default_str();
  app.add_option("--threads", compile.threads,
                 "threads that kernels are chosen for")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--report", options.reportPath,
                 "writes what was decided as JSON (docs/report.schema.json)");
  app.add_flag("--explain-layout", options.explainLayout,
               "says of each relayout that is left what forces it, and which "
               "change would remove it (--report then has it, too)");
  app.add_option("--write-layout-plan", options.planPath,
                 "writes every layout to a .yaml file (docs/layout-plan.md)");
  app.add_option("--layout-plan", options.pinnedPlanPath,
                 "holds what is pinned in such a file");
  app.add_option("--certificate", options.certificatePath,
                 "writes what optimal chose among, its choice and a proof that "
                 "none is cheaper, for npu-check-certificate (.json); exit "
                 "code 7 if there is none");
  app.add_option("--max-transposes", compile.budget.count,
                 "exit code 4 if more relayouts are left")
      ->check(CLI::Range(int64_t(0), largestBudget));
  app.add_option("--max-relayout-bytes", raw.maxBytes,
                 "exit code 4 if they move more: 4096, 2.4MB, 1MiB");
  app.add_flag("--verify-layout", compile.layout.verifyExactly,
               "checks the layout stage exactly, on index-tagged values");
  app.add_option("--reduce", raw.reduced,
                 "compiles nothing: writes the smallest part of the model on "
                 "which npuc fails in the same way (npu-reduce --help)");
  app.add_option("--reduce-test", raw.reduceTest,
                 "with --reduce: a command that fails instead of npuc; {} in "
                 "it is the model");
  app.add_option("--budget", raw.budgets,
                 "NAME=N: raises what a model may take (the list is below); "
                 "may be repeated");
  app.add_flag("-q,--quiet", options.quiet, "prints errors only");
}

static void readLayoutOptions(NpucOptions &options, const RawOptions &raw) {
  CompileOptions &compile = options.compile;
  std::string wrong;
  std::optional<IoLayouts> io =
      IoLayouts::parse(llvm::join(raw.ioLayouts, ","), wrong);
  if (!io)
    throw CLI::ValidationError(wrong);
  compile.layout.io = *io;
  std::optional<DesiredLayouts> desired =
      DesiredLayouts::parse(llvm::join(raw.desiredLayouts, ","), wrong);
  if (!desired)
    throw CLI::ValidationError(wrong);
  if (!desired->byOp.empty() && compile.layout.strategy != "convert")
    throw CLI::ValidationError("--desired-layouts goes with --layout=convert");
  compile.layout.decision.desired = *desired;
  if (!isColour(compile.layout.decision.defaultColour))
    throw CLI::ValidationError("--default-colour: '" +
                               compile.layout.decision.defaultColour +
                               "' is no colour, " + colourHelp.str());
  if (!raw.maxBytes.empty()) {
    compile.budget.bytes = parseBytes(raw.maxBytes);
    if (!compile.budget.bytes)
      throw CLI::ValidationError("--max-relayout-bytes: '" + raw.maxBytes +
                                 "' is no size; write 4096, 2.4MB or 1MiB");
  }
  if (!options.pinnedPlanPath.empty()) {
    std::optional<PlanFile> plan = loadPlanFile(options.pinnedPlanPath, wrong);
    if (!plan)
      throw CLI::ValidationError("--layout-plan: " + wrong);
    compile.layout.plan = std::make_shared<PlanFile>(std::move(*plan));
  }
  if (!options.certificatePath.empty() && compile.layout.strategy != "optimal")
    throw CLI::ValidationError("--certificate goes with --layout=optimal");
  if (!options.certificatePath.empty())
    compile.layout.certifiedModel =
        llvm::sys::path::filename(compile.model).str();
  compile.findFixes = options.explainLayout;
  compile.writePlan = !options.planPath.empty();
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
  std::optional<TargetSpec> target = loadTarget(options.target, message);
  if (!target || !chooseFallback(*target, options.fallback, message)) {
    printMessage("error", message);
    return exitUsage;
  }
  llvm::outs() << coverageText(*target);
  return 0;
}

int npu::parseOptions(int argc, char **argv, NpucOptions &options) {
  CLI::App app("npuc compiles a neural network to an NPU binary.", "npuc");
  app.footer(footer());
  app.set_version_flag("--version", "npuc " NPU_VERSION);
  app.option_defaults()->always_capture_default(false);
  RawOptions raw;
  options.compile.threads = std::max(1u, std::thread::hardware_concurrency());
  addOptions(app, options, raw);
  try {
    app.failure_message(files::usageError);
    app.parse(argc, argv);
    for (const std::string &text : raw.budgets)
      if (std::string wrong = setBudget(text); !wrong.empty())
        throw CLI::ValidationError("--budget: " + wrong);
    for (const std::string &text : raw.inputShapes) {
      auto [name, shape] = split("--input-shape", text);
      if (!options.compile.import.inputShapes.emplace(name, parseShape(shape))
               .second)
        throw CLI::ValidationError("--input-shape: '" + name +
                                   "' has two shapes");
    }
    for (const std::string &text : raw.bindInputs) {
      auto [name, file] = split("--bind-input", text);
      if (!options.boundFiles.emplace(name, file).second)
        throw CLI::ValidationError("--bind-input: '" + name +
                                   "' has two files");
    }
    if (options.checkTarget)
      return checkTarget(options.compile);
    if (options.compile.model.empty())
      throw CLI::RequiredError("model");
    readLayoutOptions(options, raw);
    options.compile.emit = parseEmit(raw.emit);
    std::optional<Objective> objective = parseObjective(raw.objective);
    if (!objective)
      throw CLI::ValidationError("--objective: unknown '" + raw.objective +
                                 "', expected one of: " + objectiveNames());
    options.compile.layout.objective = *objective;
    if (!raw.reduceTest.empty() && raw.reduced.empty())
      throw CLI::ValidationError("--reduce-test goes with --reduce");
    if (!raw.reduced.empty())
      return runReducer(app, argv[0]);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : exitUsage;
  }
  options.compile.import.batch = raw.batch;
  if (options.compile.output.empty())
    options.compile.output = defaultOutput(options.compile);
  for (std::string *path : {&options.compile.output, &options.reportPath,
                            &options.planPath, &options.certificatePath})
    if (*path == "-")
      *path = files::standardOutput;
  if (options.compile.output == files::standardOutput &&
      options.compile.emit == EmitKind::Npu) {
    llvm::errs() << "npuc: error: a .npu file cannot go to standard output; "
                    "name a file with -o\n";
    return exitUsage;
  }
  return -1;
}
