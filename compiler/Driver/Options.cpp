// SPDX-License-Identifier: Apache-2.0
#include "compiler/Driver/Options.h"

#include "compiler/Layout/Problem/Boundary.h"
#include "compiler/Layout/Strategies/Colours.h"
#include "compiler/Target/Plugins.h"
#include "files/command_line.h"
#include "files/shown_text.h"
#include "files/words.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

#include <CLI/CLI.hpp>
#include <optional>
#include <thread>

using namespace npu;

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

static std::vector<std::string> emitNames() {
  std::vector<std::string> names;
  for (const EmitRow &row : emitTable)
    names.emplace_back(row.name);
  return names;
}

/// oneOf(emitNames()) has checked it.
static EmitKind parseEmit(const std::string &text) {
  return llvm::find_if(emitTable,
                       [&](const EmitRow &row) { return text == row.name; })
      ->kind;
}

static const std::vector<std::string> precisionNames = {"f32", "bf16", "i8"};

static Precision parsePrecision(const std::string &text) {
  return text == "bf16" ? Precision::Bf16
         : text == "i8" ? Precision::I8
                        : Precision::F32;
}

static std::vector<std::string> textsOf(ArrayRef<StringRef> names) {
  return {names.begin(), names.end()};
}

/// Those after which there is a module.
static ArrayRef<StringRef> stagesOfMlir() { return stageNames().drop_back(); }

/// Those behind which passes may run.
static ArrayRef<StringRef> stagesOfPasses() {
  return stageNames().take_front(3);
}

/// Sizes are 64 bit; no network with more samples fits a memory.
static constexpr int64_t largestBatch = int64_t(1) << 31;

static constexpr int64_t largestBudget = int64_t(1) << 53;

/// Where the program goes if -o does not say: the current folder.
std::string npu::defaultOutput(const CompileOptions &options) {
  llvm::SmallString<128> path(llvm::sys::path::filename(options.model));
  for (const EmitRow &row : emitTable)
    if (row.kind == options.emit)
      llvm::sys::path::replace_extension(path, row.suffix);
  return path.str().str();
}

/// What was said, as words: options that need work after parsing.
struct OptionReader::Raw {
  std::vector<std::string> inputShapes, bindInputs;
  std::vector<std::string> ioLayouts = {"fixed"};
  std::vector<std::string> desiredLayouts;
  std::string emit = "npu", stage, objective = "time", maxBytes;
  std::vector<std::string> budgets, passes;
  std::optional<int64_t> batch;
  std::string precision = "f32", f64;

  void addImport(CLI::App &app, CompileOptions &compile);
  void addLayout(CLI::App &app, DriverOptions &options);
  void readImport(DriverOptions &options) const;
  void readLayout(DriverOptions &options) const;
  void readEmit(DriverOptions &options) const;
  void readPasses(CompileOptions &compile) const;
};

/// How the model is read.
void OptionReader::Raw::addImport(CLI::App &app, CompileOptions &compile) {
  app.option_defaults()->group("Model");
  app.add_option("--input-shape", inputShapes,
                 "binds unknown sizes of an input; may be repeated")
      ->type_name("NAME=1,3,224,224");
  app.add_option("--batch", batch,
                 "binds the unknown first size of every input")
      ->check(files::wholeFrom(0, largestBatch));
  app.add_option("--bind-input", bindInputs,
                 "makes an input a constant; may be repeated")
      ->type_name("NAME=FILE.npy");
  app.add_option("--state", compile.import.states,
                 "makes an input and an output a state: a run reads what the "
                 "run before left; may be repeated")
      ->type_name("PAST=PRESENT");
  app.add_flag("--taps", compile.import.taps,
               "keeps every value that a node names as an output, which keeps "
               "kernels from being fused (npu-compare reads them)");
  app.add_flag("--quantized-io", compile.quantizedIo,
               "inputs that the model quantizes at once, and outputs that it "
               "makes of quantized numbers, are these numbers");
  app.add_option("--precision", precision,
                 "what products of f32 are made of: f32; bf16 (summed in f32; "
                 "numbers of 8 bits' accuracy); or, with weights that the "
                 "model stores as integers, i8 (rows of data are quantized as "
                 "the program runs)")
      ->type_name("TYPE")
      ->check(files::oneOf(precisionNames))
      ->capture_default_str();
  app.add_option("--f64", f64,
                 "f32: nodes that compute in f64 do so in f32, with a warning "
                 "[they are refused]");
}

/// For which chip, and what it need not run.
static void addTarget(CLI::App &app, CompileOptions &compile) {
  app.option_defaults()->group("Target");
  app.add_option("--plugin", compile.plugins,
                 "a library that brings kernels, ops, layout rules or "
                 "strategies (docs/plugins.md); may be repeated")
      ->type_name("FILE.so");
  app.add_flag("--allow-target-plugins", compile.allowTargetPlugins,
               "loads the libraries that the target's file names, though they "
               "are not named with --plugin: they are code");
  const std::vector<std::string> targets = targetNames();
  app.add_option("--target", compile.target,
                 "chip: a name of targets/ or a .yaml file")
      ->type_name("NAME")
      ->check(files::suchAs(targets))
      ->capture_default_str();
  app.add_option("--fallback", compile.fallback,
                 "target of the processor that runs what the chip lacks, or "
                 "none [as the chip's file says]")
      ->type_name("NAME")
      ->check(files::suchAs({"host", "none"}));
  app.add_option("--max-fallback-ops", compile.maxFallbackOps,
                 "exit code 4 if the processor runs more ops")
      ->check(files::wholeFrom(0, largestBudget));
}

static std::string layoutHelp(ArrayRef<const plugin::Plugin *> plugins) {
  return "strategy that decides the layouts: " + strategyNames(plugins);
}

void OptionReader::Raw::addLayout(CLI::App &app, DriverOptions &options) {
  CompileOptions &compile = options.compile;
  app.option_defaults()->group("Layout");
  app.add_option("--layout", compile.layout.strategy, layoutHelp({}))
      ->type_name("NAME")
      ->check(files::suchAs(
          files::namesIn(strategyNames(ArrayRef<const plugin::Plugin *>()))))
      ->capture_default_str();
  app.add_option("--objective", objective,
                 "what optimal minimizes: " + objectiveNames())
      ->type_name("NAME")
      ->check(files::oneOf(files::namesIn(objectiveNames())))
      ->capture_default_str();
  app.add_option(
         "--layout-seconds", compile.layout.searchSeconds,
         "how long choosing the layouts may take, as so many steps of work, "
         "the same on every machine; then the best plan so far and its "
         "distance from the bound")
      ->check(files::numberFrom(0, 1e6))
      ->capture_default_str();
  app.add_option("--io-layout", ioLayouts,
                 "layout of inputs and outputs: fixed (as in the model) or "
                 "free; of one: NAME=fixed, NAME=free or NAME=NHWC; may be "
                 "repeated")
      ->type_name("LAYOUT")
      ->check(files::suchAs({"fixed", "free"}));
  app.add_option("--desired-layouts", desiredLayouts,
                 "for --layout=convert: conv2d:NCHW:OIHW, conv2d:NHWC:default, "
                 "max_pool:NHWC, ...: data, then weight; may be repeated")
      ->type_name("OP:DATA:WEIGHT");
  app.add_option("--default-colour", compile.layout.decision.defaultColour,
                 "for --layout=preset: what inputs are that nothing tells "
                 "about: tensor, or image axes such as NCHW")
      ->type_name("AXES")
      ->capture_default_str();
  app.add_option("--layout-plan", options.pinnedPlanPath,
                 "holds what is pinned in such a file")
      ->type_name("FILE.yaml");
  app.add_option("--max-transposes", compile.budget.count,
                 "exit code 4 if more relayouts are left")
      ->check(files::wholeFrom(0, largestBudget));
  app.add_option("--max-relayout-bytes", maxBytes,
                 "exit code 4 if they move more: 4096, 2.4MB, 1MiB")
      ->type_name("BYTES");
  app.add_flag("--verify-layout", compile.layout.verifyExactly,
               "checks the layout stage exactly, on index-tagged values");
}

DriverOptions::DriverOptions() {
  compile.threads = std::max(1U, std::thread::hardware_concurrency());
}

OptionReader::OptionReader(CLI::App &app, DriverOptions &options)
    : options(options), raw(std::make_unique<Raw>()) {
  CompileOptions &compile = options.compile;
  addTarget(app, compile);
  raw->addLayout(app, options);
  raw->addImport(app, compile);
  app.option_defaults()->group("Code");
  app.add_option("--emit", raw->emit,
                 "what to write: " + llvm::join(emitNames(), ", ") +
                     "; mlir on standard output leaves large weights out")
      ->type_name("KIND")
      ->check(files::oneOf(emitNames()))
      ->capture_default_str();
  app.add_option("--stage", raw->stage,
                 "with --emit=mlir, the graph after which stage: " +
                     llvm::join(stagesOfMlir(), ", ") + " [layout]")
      ->type_name("STAGE")
      ->check(files::oneOf(textsOf(stagesOfMlir())));
  app.add_option("--pass-pipeline-after", raw->passes,
                 "runs passes of MLIR, of npuc or of plugins after imported, "
                 "fused or layout; may be repeated")
      ->type_name("STAGE:PIPELINE");
  app.add_flag("--chip-program", compile.chipProgram,
               "writes the chip's program, too (docs/chip-program.md), which "
               "npu-run --execute=chip executes tile by tile");
  app.add_option("--mcpu", compile.mcpu,
                 "processor that generated code is for: native, x86-64-v3, ...")
      ->type_name("NAME")
      ->check(files::suchAs({"native", "x86-64-v3", "x86-64-v4"}))
      ->capture_default_str();
  app.add_option("--threads", compile.threads,
                 "threads that kernels are chosen for")
      ->check(files::wholeFrom(1, 1024))
      ->capture_default_str();
  app.add_option("--budget", raw->budgets,
                 "raises what a model may take (the list is below); may be "
                 "repeated")
      ->type_name("NAME=N");
  app.option_defaults()->group("Options");
}

OptionReader::~OptionReader() = default;

void OptionReader::namePlugins(CLI::App &app) {
  std::string ignored; // whoever compiles hears of it
  if (auto plugins =
          loadPlugins(app.get_option("--plugin")->results(), ignored))
    app.get_option("--layout")->description(layoutHelp(*plugins));
}

void OptionReader::Raw::readImport(DriverOptions &options) const {
  ImportOptions &import = options.compile.import;
  options.compile.precision = parsePrecision(precision);
  if (!f64.empty() && f64 != "f32")
    throw CLI::ValidationError("--f64: unknown '" + f64 + "', expected f32");
  import.f64AsF32 = !f64.empty();
  for (const std::string &text : budgets)
    if (std::string wrong = setBudget(text, options.budgets); !wrong.empty())
      throw CLI::ValidationError("--budget: " + wrong);
  for (const std::string &text : inputShapes) {
    auto [name, shape] = split("--input-shape", text);
    if (!import.inputShapes.emplace(name, parseShape(shape)).second)
      throw CLI::ValidationError("--input-shape: '" + name +
                                 "' has two shapes");
  }
  for (const std::string &text : bindInputs) {
    auto [name, file] = split("--bind-input", text);
    if (!options.boundFiles.emplace(name, file).second)
      throw CLI::ValidationError("--bind-input: '" + name + "' has two files");
  }
  for (const std::string &text : import.states)
    (void)split("--state", text);
  import.batch = batch;
}

void OptionReader::Raw::readLayout(DriverOptions &options) const {
  CompileOptions &compile = options.compile;
  std::string wrong;
  std::optional<IoLayouts> io =
      IoLayouts::parse(llvm::join(ioLayouts, ","), wrong);
  if (!io)
    throw CLI::ValidationError(wrong);
  compile.layout.io = *io;
  std::optional<DesiredLayouts> desired =
      DesiredLayouts::parse(llvm::join(desiredLayouts, ","), wrong);
  if (!desired)
    throw CLI::ValidationError(wrong);
  if (!desired->byOp.empty() && compile.layout.strategy != "convert")
    throw CLI::ValidationError("--desired-layouts goes with --layout=convert");
  compile.layout.decision.desired = *desired;
  if (!isColour(compile.layout.decision.defaultColour))
    throw CLI::ValidationError("--default-colour: '" +
                               compile.layout.decision.defaultColour +
                               "' is no colour, " + colourHelp.str());
  if (!maxBytes.empty()) {
    compile.budget.bytes = parseBytes(maxBytes);
    if (!compile.budget.bytes)
      throw CLI::ValidationError("--max-relayout-bytes: '" + maxBytes +
                                 "' is no size; write 4096, 2.4MB or 1MiB");
  }
  if (!options.pinnedPlanPath.empty()) {
    BudgetScope scope(options.budgets);
    std::optional<PlanFile> plan = loadPlanFile(options.pinnedPlanPath, wrong);
    if (!plan)
      throw files::InputError("--layout-plan: " + wrong);
    compile.layout.plan = std::make_shared<PlanFile>(std::move(*plan));
  }
  compile.layout.objective = *parseObjective(objective);
}

/// --pass-pipeline-after; whether it is a pipeline, those know who bring
/// passes.
void OptionReader::Raw::readPasses(CompileOptions &compile) const {
  ArrayRef<StringRef> names = stagesOfPasses();
  for (const std::string &text : passes) {
    auto [name, pipeline] = StringRef(text).split(':');
    const StringRef *found = llvm::find(names, name);
    if (found == names.end() || pipeline.empty())
      throw CLI::ValidationError("--pass-pipeline-after: '" + text +
                                 "' is not of the form STAGE:PIPELINE, where "
                                 "STAGE is one of: " +
                                 llvm::join(names, ", ") +
                                 files::suggestion(name.str(), textsOf(names)));
    compile.passes.emplace_back(static_cast<Stage>(found - names.begin()),
                                pipeline.str());
  }
}

void OptionReader::Raw::readEmit(DriverOptions &options) const {
  CompileOptions &compile = options.compile;
  compile.emit = parseEmit(emit);
  if (compile.chipProgram && compile.emit != EmitKind::Npu)
    throw CLI::ValidationError("--chip-program goes with --emit=npu");
  if (stage.empty())
    return;
  if (compile.emit != EmitKind::Mlir)
    throw CLI::ValidationError("--stage goes with --emit=mlir");
  const StringRef *found = llvm::find(stagesOfMlir(), stage);
  compile.emitAfter = static_cast<Stage>(found - stagesOfMlir().begin());
  const bool asksForLayouts = options.wantsReport || options.wantsExplanation ||
                              options.wantsPlan || options.wantsCertificate ||
                              compile.budget.count || compile.budget.bytes;
  if (asksForLayouts && compile.emitAfter < Stage::Layout)
    throw CLI::ValidationError(
        "--stage=" + stage +
        " is before the layouts are decided: leave out --report, "
        "--explain-layout, --write-layout-plan, --certificate and budgets of "
        "relayouts, or take --stage=layout");
}

void OptionReader::finish() {
  CompileOptions &compile = options.compile;
  raw->readImport(options);
  raw->readLayout(options);
  raw->readEmit(options);
  raw->readPasses(compile);
  if (options.wantsCertificate && compile.layout.strategy != "optimal")
    throw CLI::ValidationError("--certificate goes with --layout=optimal");
  if (options.wantsCertificate)
    compile.layout.certifiedModel =
        llvm::sys::path::filename(compile.model).str();
  compile.findFixes = options.wantsExplanation;
  compile.writePlan = options.wantsPlan;
  compile.compareStrategies = options.wantsReport || options.wantsExplanation;
}

/// The options alone; what asks for help or a version is not among them.
static std::unique_ptr<CLI::App> makeApp() {
  auto app = std::make_unique<CLI::App>("", "npuc");
  app->set_help_flag();
  app->option_defaults()->always_capture_default(false);
  return app;
}

std::string npu::readOptions(const std::vector<std::string> &words,
                             DriverOptions &options) {
  std::unique_ptr<CLI::App> app = makeApp();
  OptionReader reader(*app, options);
  files::takeOneValueEach(*app);
  try {
    app->parse(std::vector<std::string>(words.rbegin(), words.rend()));
    reader.finish();
  } catch (const CLI::ParseError &error) {
    return files::shownMessage(error.what());
  }
  return "";
}

static std::vector<std::string> namesOfOptions() {
  std::unique_ptr<CLI::App> app = makeApp();
  DriverOptions unused;
  OptionReader reader(*app, unused);
  std::vector<std::string> names;
  for (const CLI::Option *option : app->get_options())
    names.push_back(option->get_name().substr(2)); // without dashes
  return names;
}

bool npu::isOption(const std::string &name) {
  return llvm::is_contained(namesOfOptions(), name);
}

/// What a value is: "flag", "whole", "number", "text", or "pair" (NAME=VALUE).
static StringRef kindOf(const CLI::Option &option) {
  if (option.get_items_expected_max() == 0)
    return "flag";
  const std::string form = option.get_type_name();
  StringRef type = StringRef(form).split(':').first; // "INT:1 to 1024"
  return type.contains('=')                ? "pair"
         : type == "INT" || type == "UINT" ? "whole"
         : type == "FLOAT"                 ? "number"
                                           : "text";
}

std::string npu::optionTable() {
  std::unique_ptr<CLI::App> app = makeApp();
  DriverOptions unused;
  OptionReader reader(*app, unused);
  llvm::json::Array rows;
  for (const CLI::Option *option : app->get_options()) {
    bool isOpen = false;
    std::vector<std::string> values = files::namesOf(*option, isOpen);
    rows.push_back(llvm::json::Object{
        {"name", option->get_name().substr(2)}, // without dashes
        {"group", option->get_group()},
        {"kind", kindOf(*option)},
        {"form", option->get_type_name()},
        {"repeated", option->get_items_expected_max() > 1},
        {"values", llvm::json::Array(values)},
        {"others", isOpen},
        {"help", option->get_description()}});
  }
  return llvm::formatv("{0:2}", llvm::json::Value(std::move(rows)));
}

std::string npu::optionNames() { return llvm::join(namesOfOptions(), ", "); }

std::string npu::unknownOption(const std::string &name) {
  return files::unknownName(name, namesOfOptions(), "option");
}
