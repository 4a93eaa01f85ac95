// SPDX-License-Identifier: Apache-2.0
#include "compiler/Pipeline/Compiler.h"

#include "compiler/Codegen/ChipProgram.h"
#include "compiler/Codegen/Manifest.h"
#include "compiler/Codegen/NativeCode.h"
#include "compiler/Codegen/ProgramEmitter.h"
#include "compiler/Codegen/ProgramWriter.h"
#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Frontend/ONNX/OnnxImporter.h"
#include "compiler/Frontend/Support/ModuleFile.h"
#include "compiler/Frontend/Support/SourceLocation.h"
#include "compiler/Frontend/Support/States.h"
#include "compiler/Frontend/Support/Unsupported.h"
#include "compiler/Frontend/TFLite/TfliteImporter.h"
#include "compiler/Frontend/TOSA/TosaImporter.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Html/GraphPage.h"
#include "compiler/Layout/Apply/Retype.h"
#include "compiler/Layout/Apply/VerifyLayout.h"
#include "compiler/Layout/Explain/LayoutFix.h"
#include "compiler/Layout/Passes/Passes.h"
#include "compiler/Layout/PlanFile/PlanWriter.h"
#include "compiler/Layout/Problem/Boundary.h"
#include "compiler/Layout/Problem/Cost.h"
#include "compiler/Layout/Problem/ImageAxes.h"
#include "compiler/Layout/Problem/LayoutPlan.h"
#include "compiler/Layout/Problem/Names.h"
#include "compiler/Layout/Problem/Storage.h"
#include "compiler/Pipeline/ChipPlan.h"
#include "compiler/Pipeline/LayoutPass.h"
#include "compiler/Pipeline/PlanAttributes.h"
#include "compiler/Pipeline/Report.h"
#include "compiler/Pipeline/Resources.h"
#include "compiler/Pipeline/UserPasses.h"
#include "compiler/Support/MarkedError.h"
#include "compiler/Support/PassPlugins.h"
#include "compiler/Target/Calibration.h"
#include "compiler/Target/Lacks.h"
#include "compiler/Target/Plugins.h"
#include "compiler/Target/TargetNames.h"
#include "files/words.h"
#include "kernels/kernel.h"
#include "kernels/tensor.h"

#include "mlir/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <chrono>

using namespace npu;

namespace {

/// One compilation; each method is a step of a stage.
class Compilation {
public:
  Compilation(MLIRContext &context, const CompileOptions &options,
              CompileReport &report, files::OutputFiles &files)
      : context(context), options(options), report(report), files(files) {}

  CompileStatus start();
  CompileStatus run(Stage last);
  mlir::ModuleOp current() const { return module.get(); }

private:
  CompileStatus toImported();
  CompileStatus toFused();
  CompileStatus toLayout();
  CompileStatus toPlanned();
  CompileStatus toProgram();
  CompileStatus runNext();
  LogicalResult runUsersPasses(Stage after);
  void reportDecided();
  void reportStates();
  bool isLeftOut(Stage next, Stage last) const;
  LogicalResult stage(StringRef name, function_ref<LogicalResult()> work);
  LogicalResult
  runPasses(function_ref<LogicalResult(mlir::PassManager &)> addPasses);
  LogicalResult error(const Twine &message) {
    return mlir::emitError(mlir::UnknownLoc::get(&context)) << message;
  }
  CompileStatus checkOptions();
  LogicalResult loadNamedPlugins();
  CompileStatus loadNamedTarget();
  void declarePlugins();
  LogicalResult checkFiles();
  LogicalResult import();
  LogicalResult checkShape();
  LogicalResult readModel();
  LogicalResult readMlir();
  LogicalResult take(FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> imported) {
    if (succeeded(imported))
      module = std::move(*imported);
    return imported;
  }
  LogicalResult fuse();
  LogicalResult layout();
  LogicalResult compare(mlir::func::FuncOp source);
  LogicalResult plan();
  LogicalResult generate();
  LogicalResult write();
  LogicalResult writeText(StringRef text);
  LogicalResult writeMlir();
  LogicalResult writePage();
  mlir::func::FuncOp function() {
    return *module->getBody()->getOps<mlir::func::FuncOp>().begin();
  }

  MLIRContext &context;
  const CompileOptions &options;
  CompileReport &report;
  files::OutputFiles &files;
  std::optional<TargetSpec> target;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Of the function when its layouts are decided: nothing changes it then.
  std::optional<ImageAxesAnalysis> axes;
  std::optional<LayoutProblem> laidOut;
  const OnChipValues *onChip = nullptr; // of what is laid out
  ProgramPlan program;
  std::string chipProgram; // the bytes of its table; empty: not asked for
  std::unique_ptr<llvm::TargetMachine> machine;
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> code;
  SmallVector<char, 0> object;
  mlir::TimingScope *outerTiming = nullptr; // of the stage that runs
  int stagesRun = 0;
  CompileStatus status = CompileStatus::Ok;
};

} // namespace

LogicalResult Compilation::stage(StringRef name,
                                 function_ref<LogicalResult()> work) {
  if (options.onStage)
    options.onStage(name);
  mlir::TimingScope timing;
  if (options.timing)
    timing = options.timing->nest(name);
  outerTiming = &timing;
  auto start = std::chrono::steady_clock::now();
  LogicalResult result = work();
  // What a plugin got wrong makes all that stands on it doubtful.
  if (const plugin::Use *use = pluginsOf(&context))
    if (std::string fault = use->fault(); !fault.empty())
      result = error(fault);
  std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - start;
  report.seconds.emplace_back(name.str(), taken.count());
  return result;
}

LogicalResult Compilation::readMlir() {
  module = options.import.bytes
               ? readModule(context, *options.import.bytes, options.model)
               : readModuleFile(context, options.model);
  if (!module)
    return failure();
  if (isTosa(*module)) {
    mlir::OwningOpRef<mlir::ModuleOp> source = std::move(module);
    return take(importTosa(*source, options.model, options.import));
  }
  const ImportOptions &given = options.import;
  if (given.batch || !given.inputShapes.empty() || !given.boundInputs.empty())
    return error("'" + options.model +
                 "' is in the npu dialect, whose inputs are fixed; leave out "
                 "--input-shape, --bind-input and --batch");
  return success();
}

LogicalResult Compilation::readModel() {
  StringRef extension = llvm::sys::path::extension(options.model);
  if (extension == ".mlir" || extension == ".mlirbc")
    return readMlir();
  if (extension == ".tflite")
    return take(importTflite(context, options.model, options.import));
  return take(importOnnx(context, options.model, options.import));
}

/// The readers have verified what they give.
LogicalResult Compilation::import() {
  if (failed(readModel()) || failed(checkShape()) ||
      failed(pairStates(function(), options.import.states)) ||
      failed(checkResources(*module)))
    return failure();
  forgetLayouts(function());
  function().walk(forgetPlan);
  return success();
}

/// What every stage takes.
LogicalResult Compilation::checkShape() {
  auto functions = module->getBody()->getOps<mlir::func::FuncOp>();
  if (!llvm::hasSingleElement(functions) ||
      (*functions.begin()).getBody().getBlocks().size() != 1)
    return module->emitError("the module must hold exactly one function of "
                             "one block; split it");
  return requireNpuOps(function());
}

LogicalResult Compilation::runPasses(
    function_ref<LogicalResult(mlir::PassManager &)> addPasses) {
  mlir::PassManager manager(&context);
  // After every pass it would take as long as they do; npu-opt does.
  manager.enableVerifier(false);
  if (options.preparePasses && failed(options.preparePasses(manager)))
    return failure();
  manager.enableTiming(*outerTiming);
  if (const plugin::Use *use = pluginsOf(&context))
    manager.addInstrumentation(namePluginOfPass(*use));
  return failed(addPasses(manager)) ? failure() : manager.run(*module);
}

LogicalResult Compilation::fuse() {
  if (options.quantizedIo && failed(runPasses([](mlir::PassManager &manager) {
        manager.nest<mlir::func::FuncOp>().addPass(createQuantizedIo());
        return success();
      })))
    return failure();
  report.quantizedIo = quantizedOf(function());
  if (failed(runPasses([&](mlir::PassManager &manager) {
        buildFusionPipeline(manager, &*target, options.precision);
        return success();
      })))
    return failure();
  report.placement = placementOf(function());
  report.precision = options.precision;
  report.narrowProducts = countNarrowProducts(function());
  return mlir::verify(*module);
}

LogicalResult Compilation::compare(mlir::func::FuncOp source) {
  StrategyResult decided;
  decided.name = report.strategy;
  decided.feasible = true;
  decided.cost = report.layout.cost;
  FailureOr<std::vector<StrategyResult>> results =
      compareStrategies(source, *target, options.layout, &decided);
  if (failed(results))
    return failure();
  report.strategies = std::move(*results);
  return success();
}

void Compilation::reportDecided() {
  axes.emplace(function());
  laidOut.emplace(function(), *target, *axes);
  laidOut->objective = options.layout.objective;
  FunctionCost least = costOf(*laidOut);
  onChip = least.onChip;
  report.layout = reportLayouts(*laidOut, least, options.layout.plan.get());
}

LogicalResult Compilation::layout() {
  const LayoutOptions &given = options.layout;
  if (failed(readyBoundary(function(), *target, given.io)))
    return failure();
  mlir::OwningOpRef<mlir::func::FuncOp> source;
  if (options.findFixes || options.compareStrategies)
    source = function().clone();
  std::optional<PlanWriter> writer;
  if (options.writePlan)
    writer.emplace(function());
  auto decide = [&] {
    return runLayoutStage(function(), *target, given, &report.search);
  };
  if (failed(stage("layout", [&] {
        return runPasses([&](mlir::PassManager &manager) {
          manager.addPass(std::make_unique<LayoutPass>(decide));
          return success();
        });
      })))
    return failure();
  reportDecided();
  if (writer)
    report.layoutPlan =
        writer->print(function(), llvm::sys::path::filename(options.model),
                      *target, given.strategy, onChip);
  if (options.compareStrategies &&
      failed(stage("compare", [&] { return compare(*source); })))
    return failure();
  if (!options.findFixes)
    return success();
  return stage("explain", [&] {
    findFixes(report.layout, *source, function(), *target, given);
    return success();
  });
}

void Compilation::reportStates() {
  const std::vector<std::string> layouts =
      boundaryLayoutNames(function(), *axes);
  const size_t first = program.inputs.size() - program.states.size();
  for (auto [i, state] : llvm::enumerate(program.states)) {
    const npu_tensor_desc tensor = describeTensor(program.inputs[first + i]);
    report.states.push_back({state.name, kernels::dtypeName(tensor.dtype),
                             layouts[first + i],
                             program.inputs[first + i].getShape().vec(),
                             kernels::storedBytes(tensor), state.begins >= 0});
  }
}

LogicalResult Compilation::plan() {
  FailureOr<ProgramPlan> planned = planProgram(
      function(), options.threads,
      [&](Operation *op) { return freePartOf(*laidOut, op, layoutsOf(op)); },
      target->fuses.source == Fuses::Source::Library);
  if (failed(planned))
    return failure();
  program = std::move(*planned);
  report.isPlanned = true;
  report.arenaBytes = program.arenaBytes;
  report.arenaLowerBoundBytes = program.arenaLowerBound;
  report.weightBytes = program.weights.bytes();
  if (failed(planChip({*laidOut, *onChip}, program)))
    return failure();
  report.machine = target->machine;
  report.costTable = costTableOf(program, *target);
  for (const PlannedResident &one : program.residents)
    report.residents.push_back({one.name, program.kernels[one.first].node,
                                one.offset, one.bytes, one.first, one.last});
  reportStates();
  for (const PlannedKernel &kernel : program.kernels) {
    ReportedKernel row;
    row.chip = cost::figuresOf(kernel.work, kernel.tiling, kernel.residentBytes,
                               target->machine);
    row.relayout = kernel.isRelayout();
    row.name = kernel.name;
    row.op = kernel.opName;
    row.node = kernel.node;
    row.implementation = "generated";
    if (!kernel.generated) {
      kernels::Answer answer = kernels::query(kernel.problem);
      row.implementation = answer.implementation;
      row.slow = answer.slow;
      row.adapterBytes = static_cast<int64_t>(answer.adapterBytes);
    }
    for (const auto *tensors :
         {&kernel.problem.inputs, &kernel.problem.outputs})
      for (const npu_tensor_desc &tensor : *tensors)
        row.layouts.push_back(kernels::layoutString(tensor));
    report.kernels.push_back(std::move(row));
  }
  return options.chipProgram
             ? planChipProgram(program, target->machine, chipProgram)
             : success();
}

LogicalResult Compilation::generate() {
  FailureOr<EmittedProgram> emitted = emitProgram(&context, program);
  if (failed(emitted))
    return failure();
  code = translateProgram(*emitted->module, llvmContext, *machine);
  if (!code)
    return failure();
  addProgramRun(*code, program, *emitted);
  addProgramRoot(*code, program);
  if (options.emit == EmitKind::Llvm)
    return success();
  FailureOr<SmallVector<char, 0>> bytes =
      emitMachineCode(*code, *machine, options.emit == EmitKind::Asm);
  if (failed(bytes))
    return error("LLVM cannot emit code for this processor");
  object = std::move(*bytes);
  return success();
}

LogicalResult Compilation::writeText(StringRef text) {
  std::string message = files.write(options.output, text.str());
  return message.empty() ? success() : error(message);
}

/// A file holds everything and compiles again; on a terminal nobody wants to
/// see the weights.
LogicalResult Compilation::writeMlir() {
  std::string text;
  llvm::raw_string_ostream stream(text);
  mlir::OpPrintingFlags flags;
  if (options.output == files::standardOutput)
    flags.elideLargeResourceString(64);
  module->print(stream, flags);
  return writeText(text);
}

LogicalResult Compilation::writePage() {
  llvm::json::Object data = graphJson(function(), program, reportJson(report));
  data["model"] = llvm::json::fixUTF8(llvm::sys::path::filename(options.model));
  return writeText(graphPage(std::move(data)));
}

LogicalResult Compilation::write() {
  if (options.emit == EmitKind::Mlir)
    return writeMlir();
  if (options.emit == EmitKind::Html)
    return writePage();
  if (options.emit == EmitKind::Llvm) {
    std::string text;
    llvm::raw_string_ostream(text) << *code;
    return writeText(text);
  }
  if (options.emit != EmitKind::Npu)
    return writeText(StringRef(object.data(), object.size()));
  format::Manifest manifest =
      makeManifest(program, boundaryLayoutNames(function(), *axes));
  sayQuantized(report, manifest);
  manifest.targetName = target->name;
  manifest.machine = target->machine;
  if (target->measured && target->measured->ofThisMachine)
    manifest.measuredThreads = target->measured->threads;
  manifest.layoutStrategy = options.layout.strategy;
  manifest.modelName = llvm::sys::path::filename(options.model).str();
  for (const std::string &feature : requiredFeatures(*machine))
    manifest.cpuFeatures.push_back(feature);
  if (llvm::Error failed = writeProgram(options.output, object, program,
                                        manifest, chipProgram, files.add()))
    return error(llvm::toString(std::move(failed)));
  return success();
}

/// Before the target is read, whose demands may speak of their ops.
LogicalResult Compilation::loadNamedPlugins() {
  std::string message;
  auto named = loadPlugins(options.plugins, message);
  if (!named)
    return error("--plugin: " + message);
  addPlugins(context, *named);
  context.getOrLoadDialect<NPUDialect>()->allowsTargetPlugins =
      options.allowTargetPlugins;
  return success();
}

/// With those of the target.
void Compilation::declarePlugins() {
  addPlugins(context, *target);
  const plugin::Use *use = pluginsOf(&context);
  if (!use)
    return;
  for (const plugin::Plugin *plugin : use->plugins) {
    files.reads("a plugin", plugin->path);
    report.plugins.push_back({plugin->name, plugin->version, plugin->path});
  }
}

/// A name that does not exist is wrong usage; a file may be damaged.
static CompileStatus statusOfTarget(StringRef nameOrPath) {
  return isTargetThere(nameOrPath) ? CompileStatus::BadInput
                                   : CompileStatus::BadOptions;
}

CompileStatus Compilation::loadNamedTarget() {
  std::string message;
  const AllowedPlugins allowed = allowedPlugins(context);
  target = loadCalibratedTarget(options.target, kernels::libraryVersion(),
                                options.threads, allowed, report.targetNote,
                                message);
  if (!target) {
    (void)error(message);
    return statusOfTarget(options.target);
  }
  if (!chooseFallback(*target, options.fallback, message, allowed)) {
    (void)error("--fallback: " + message);
    return statusOfTarget(options.fallback);
  }
  declarePlugins();
  message = whyNotAlgorithms(*target, context);
  if (message.empty())
    return CompileStatus::Ok;
  (void)error(message);
  return CompileStatus::BadInput;
}

CompileStatus Compilation::checkOptions() {
  if (failed(loadNamedPlugins()))
    return CompileStatus::BadInput;
  if (CompileStatus loaded = loadNamedTarget(); loaded != CompileStatus::Ok)
    return loaded;
  auto refuse = [&](const std::string &message) {
    (void)error(message);
    return CompileStatus::BadOptions;
  };
  std::string message = whyNot(options.layout.objective, *target);
  if (!message.empty())
    return refuse(message);
  if (options.chipProgram && target->machine.sramKiB <= 0)
    return refuse("--chip-program: target '" + target->name +
                  "' has no on-chip memory (`sram`) for tiles");
  if (!target->file.empty())
    files.reads("--target", target->file);
  if (target->costs)
    files.reads("the target's costs", target->costsPath());
  // Also one that was passed over; empty without a home.
  if (std::string table = calibrationPath(target->name); !table.empty())
    files.reads("the calibration", table);
  machine = makeTargetMachine(options.mcpu, message);
  if (!machine)
    return refuse(message);
  const std::string &strategy = options.layout.strategy;
  if (findStrategy(strategy, &context))
    return CompileStatus::Ok;
  return refuse(files::unknownName(
      strategy, files::namesIn(strategyNames(&context)), "layout strategy"));
}

/// Before anything is written, and before what takes time.
LogicalResult Compilation::checkFiles() {
  std::string message = files.clash();
  return message.empty() ? success() : error(message);
}

CompileStatus Compilation::start() {
  if (CompileStatus checked = checkOptions(); checked != CompileStatus::Ok)
    return checked;
  if (failed(checkFiles()))
    return CompileStatus::BadOptions;
  std::string message = files.problem();
  if (!message.empty()) {
    (void)error(message);
    return CompileStatus::CannotWrite;
  }
  report.target = target->name;
  report.measured = target->measured;
  report.targetFile = target->file;
  if (target->fallback)
    report.fallback = target->fallback->target;
  report.strategy = options.layout.strategy;
  report.objective = options.layout.objective;
  return CompileStatus::Ok;
}

CompileStatus Compilation::toImported() {
  if (CompileStatus started = start(); started != CompileStatus::Ok)
    return started;
  if (failed(stage("import", [&] { return import(); })))
    return CompileStatus::BadModel;
  // Those beside the model are known now.
  return failed(checkFiles()) ? CompileStatus::BadOptions : CompileStatus::Ok;
}

CompileStatus Compilation::toFused() {
  if (failed(stage("fuse", [&] { return fuse(); })))
    return CompileStatus::BadModel;
  return failed(checkPlacement(function(), report.placement,
                               options.maxFallbackOps))
             ? CompileStatus::OverBudget
             : CompileStatus::Ok;
}

CompileStatus Compilation::toLayout() {
  if (failed(layout()))
    return CompileStatus::BadModel;
  return failed(checkBudget(function(), report.layout, options.budget))
             ? CompileStatus::OverBudget
             : CompileStatus::Ok;
}

CompileStatus Compilation::toPlanned() {
  return failed(stage("plan", [&] { return plan(); })) ? CompileStatus::BadModel
                                                       : CompileStatus::Ok;
}

/// What is written as MLIR has no more than its stages.
bool Compilation::isLeftOut(Stage next, Stage last) const {
  return last == Stage::Program && next != last &&
         options.emit == EmitKind::Mlir && next > options.emitAfter;
}

CompileStatus Compilation::toProgram() {
  bool isGenerated =
      options.emit != EmitKind::Mlir && options.emit != EmitKind::Html;
  if (isGenerated && failed(stage("generate", [&] { return generate(); })))
    return CompileStatus::BadModel;
  return failed(stage("write", [&] { return write(); }))
             ? CompileStatus::CannotWrite
             : CompileStatus::Ok;
}

CompileStatus Compilation::runNext() {
  static constexpr CompileStatus (Compilation::*steps[])() = {
      &Compilation::toImported, &Compilation::toFused, &Compilation::toLayout,
      &Compilation::toPlanned, &Compilation::toProgram};
  return (this->*steps[stagesRun])();
}

/// Whatever they did, what follows relies on what the stage left.
LogicalResult Compilation::runUsersPasses(Stage after) {
  for (const auto &[stageBefore, pipeline] : options.passes) {
    if (stageBefore != after)
      continue;
    StringRef name = stageNames()[static_cast<int>(after)];
    auto run = [&, &pipeline = pipeline] {
      return runPasses([&](mlir::PassManager &manager) {
        return addPipeline(manager, pipeline);
      });
    };
    if (failed(stage(("passes after " + name).str(), run)) ||
        failed(mlir::verify(*module)) || failed(checkShape()))
      return failure();
    if (after != Stage::Layout)
      continue;
    placeMoves(function(), *target);
    if (failed(checkLayouts(function(), *target)))
      return failure();
    reportDecided();
  }
  return success();
}

CompileStatus Compilation::run(Stage last) {
  for (; status == CompileStatus::Ok && stagesRun <= static_cast<int>(last);
       ++stagesRun) {
    const auto next = static_cast<Stage>(stagesRun);
    if (isLeftOut(next, last))
      continue;
    status = runNext();
    if (status == CompileStatus::Ok && failed(runUsersPasses(next)))
      status = CompileStatus::BadModel;
    const bool isShown =
        last == Stage::Planned || options.emit == EmitKind::Mlir;
    if (status == CompileStatus::Ok && next == Stage::Planned && isShown)
      attachPlan(function(), program);
  }
  return status;
}

/// In the order of Stage.
static const StringRef namesOfStages[] = {"imported", "fused", "layout",
                                          "planned", "program"};

ArrayRef<StringRef> npu::stageNames() { return namesOfStages; }

struct StagedCompilation::State {
  State(MLIRContext &context, const CompileOptions &options,
        CompileReport &report, files::OutputFiles &files)
      : context(context), model(options.model),
        compilation(context, options, report, files) {}
  MLIRContext &context;
  const std::string &model;
  Compilation compilation;
  CompileStatus told = CompileStatus::BadModel; // by the errors
  bool isExplained = false;                     // by one at least
};

StagedCompilation::StagedCompilation(MLIRContext &context,
                                     const CompileOptions &options,
                                     CompileReport &report,
                                     files::OutputFiles &files)
    : state(std::make_unique<State>(context, options, report, files)) {}

StagedCompilation::~StagedCompilation() = default;

mlir::ModuleOp StagedCompilation::module() const {
  return state->compilation.current();
}

CompileStatus StagedCompilation::check() { return state->compilation.start(); }

/// What kind of error it is.
static CompileStatus statusOf(mlir::Diagnostic &error) {
  return isUnsupported(error)          ? CompileStatus::Unsupported
         : isMarked(error, wrongUsage) ? CompileStatus::BadOptions
         : isMarked(error, wrongInput) ? CompileStatus::BadInput
                                       : CompileStatus::BadModel;
}

CompileStatus StagedCompilation::run(Stage last) {
  mlir::ScopedDiagnosticHandler watch(
      &state->context, [&](mlir::Diagnostic &one) {
        if (state->told == CompileStatus::BadModel)
          state->told = statusOf(one);
        state->isExplained |=
            one.getSeverity() == mlir::DiagnosticSeverity::Error;
        return failure(); // the handler behind this one prints it
      });
  CompileStatus status = state->compilation.run(last);
  if (status != CompileStatus::Ok && !state->isExplained)
    mlir::emitError(fileLocation(state->context, state->model))
        << "cannot be compiled, for a reason that npuc does not know; this is "
           "an error of npuc, please report it with the model";
  return status == CompileStatus::BadModel ? state->told : status;
}

CompileStatus npu::compileModel(MLIRContext &context,
                                const CompileOptions &options,
                                CompileReport &report,
                                files::OutputFiles &files) {
  return StagedCompilation(context, options, report, files).run(Stage::Program);
}

void npu::registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<NPUDialect>();
  registerTosaDialects(registry);
  registerCodegenDialects(registry);
}
