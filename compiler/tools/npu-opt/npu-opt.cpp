// SPDX-License-Identifier: Apache-2.0
//
// Every pass by itself. Each stage registers its own passes; known are the
// dialects in use, and those that programs beside ours come in.
#include "compiler/Dialect/NPU/NPUDialect.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Layout/Passes/Passes.h"
#include "compiler/Support/InputText.h"
#include "compiler/Support/LlvmOptions.h"
#include "compiler/Support/PassPlugins.h"
#include "compiler/Target/Plugins.h"
#include "files/crash_report.h"
#include "files/exit_codes.h"
#include "files/last_words.h"
#include "files/output_files.h"
#include "files/shown_text.h"
#include "files/standard_output.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace npu;

static int fail(const std::string &message, files::ExitCode code) {
  llvm::errs() << "npu-opt: error: " << files::shownMessage(message) << "\n";
  return code;
}

namespace {
/// A crash is in the pass that began last.
class PassNames : public mlir::PassInstrumentation {
  void runBeforePass(mlir::Pass *pass, Operation *) override {
    files::setCrashStage(pass->getArgument());
  }
};
} // namespace

static void namePasses(mlir::MlirOptMainConfig &config) {
  mlir::MlirOptMainConfig given = config;
  config.setPassPipelineSetupFn([given](mlir::PassManager &manager) {
    manager.addInstrumentation(std::make_unique<PassNames>());
    if (const plugin::Use *use = pluginsOf(manager.getContext()))
      manager.addInstrumentation(namePluginOfPass(*use));
    return given.setupPassPipeline(manager);
  });
}

namespace {
/// Gives the plugins to the context that MLIR makes.
class UsePlugins : public mlir::DialectExtension<UsePlugins, NPUDialect> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(UsePlugins)

  UsePlugins() = default;
  explicit UsePlugins(AllowedPlugins given) : given(std::move(given)) {}
  void apply(MLIRContext *context, NPUDialect *dialect) const override {
    dialect->allowsTargetPlugins = given.all;
    addPlugins(*context, given.named);
  }

private:
  AllowedPlugins given;
};
} // namespace

/// Takes --plugin=FILE and --allow-target-plugins out of the words, before MLIR
/// reads them: others may name what a plugin brings. Nothing after a message.
static std::optional<std::vector<const plugin::Plugin *>>
takePlugins(int &argc, char **argv, mlir::DialectRegistry &registry) {
  std::vector<std::string> paths;
  bool allowsAll = false;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    StringRef word = argv[i];
    if (word.consume_front("--plugin="))
      paths.push_back(word.str());
    else if (word == "--allow-target-plugins")
      allowsAll = true;
    else
      argv[kept++] = argv[i];
  }
  argc = kept;
  std::string message;
  auto plugins = loadPlugins(paths, message);
  if (!plugins) {
    fail("--plugin: " + message, files::exitInput);
    return std::nullopt;
  }
  registry.addExtension(
      mlir::TypeID::get<UsePlugins>(),
      std::make_unique<UsePlugins>(AllowedPlugins{*plugins, allowsAll}));
  return plugins;
}

namespace {
/// What is read and written.
struct Paths {
  std::string input = "-", output = "-";
};
} // namespace

static std::string overview() {
  return "npu-opt: passes of npuc; --plugin=FILE loads a plugin "
         "(docs/plugins.md), --allow-target-plugins those that targets "
         "name\n\nExamples:\n"
         "  npu-opt model.mlir --npu-fold-layout\n"
         "  npu-opt model.mlir --npu-assign-layout='target=npu-nhwc' -o "
         "out.mlir\n\nExit codes (docs/exit-codes.md):\n" +
         files::exitCodeLines({files::exitSuccess, files::exitModel,
                               files::exitUsage, files::exitOutput,
                               files::exitMemory, files::exitInput});
}

/// MLIR's own reader of command lines ends the process with 1. What is wrong is
/// LLVM's sentence.
static std::optional<Paths> readWords(int argc, char **argv,
                                      mlir::DialectRegistry &registry) {
  llvm::cl::opt<std::string> input(llvm::cl::Positional,
                                   llvm::cl::desc("<input file>"),
                                   llvm::cl::init("-"));
  llvm::cl::opt<std::string> output("o", llvm::cl::desc("Output filename"),
                                    llvm::cl::value_desc("filename"),
                                    llvm::cl::init("-"));
  llvm::cl::SetVersionPrinter(
      [](llvm::raw_ostream &out) { out << "npu-opt " NPU_VERSION "\n"; });
  mlir::registerCLIOptions("", registry);
  std::string wrong;
  llvm::raw_string_ostream stream(wrong);
  if (llvm::cl::ParseCommandLineOptions(argc, argv, overview(), &stream))
    return Paths{input, output};
  fail(llvmComplaint(wrong, "npu-opt") + "; see npu-opt --help",
       files::exitUsage);
  return std::nullopt;
}

static int run(int argc, char **argv, mlir::DialectRegistry &registry) {
  auto plugins = takePlugins(argc, argv, registry);
  if (!plugins)
    return files::exitInput;
  std::optional<Paths> paths = readWords(argc, argv, registry);
  if (!paths)
    return files::exitUsage;
  auto &[input, output] = *paths;
  mlir::MlirOptMainConfig config =
      mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::asMainReturnCode(
        mlir::MlirOptMain(argc, argv, input, output, registry));
  if (output == "-")
    output = files::standardOutput;
  files::OutputFiles files;
  files.reads("the input", input == "-" ? "/dev/stdin" : input);
  files.writes("-o", output);
  if (std::string clash = files.clash(); !clash.empty())
    return fail(clash, files::exitUsage);
  if (std::string problem = files.problem(); !problem.empty())
    return fail(problem, files::exitOutput);
  std::string message, text;
  auto file = readInput(input, Budget::File, message);
  if (file && !mlir::isBytecode(*file))
    message = whyNotModuleText(file->getBuffer());
  if (!message.empty())
    return fail("'" + input + "' " + message, files::exitModel);
  llvm::raw_string_ostream stream(text);
  files::setCrashStage("parsing");
  files::setCrashInput(file->getBuffer());
  namePasses(config);
  bool isDone =
      succeeded(mlir::MlirOptMain(stream, std::move(file), registry, config));
  // As in npuc: what a plugin got wrong makes all that stands on it doubtful.
  for (const plugin::Plugin *plugin : *plugins)
    if (std::string fault = plugin->fault(); !fault.empty())
      return fail(fault, files::exitModel);
  if (!isDone)
    return files::exitModel;
  message = files.write(output, text);
  if (message.empty())
    message = files.commit();
  return message.empty() ? files::exitSuccess
                         : fail(message, files::exitOutput);
}

int main(int argc, char **argv) {
  files::prepareProcess();
  llvm::InitLLVM init(argc, argv);
  files::prepareLastWords("npu-opt");
  files::setCulprit(plugin::running);
  files::prepareCrashReport(
      "npu-opt " NPU_VERSION ", LLVM " LLVM_VERSION_STRING, argc, argv);
  mlir::DialectRegistry registry;
  registry.insert<NPUDialect, mlir::func::FuncDialect, mlir::tosa::TosaDialect,
                  mlir::arith::ArithDialect, mlir::tensor::TensorDialect,
                  mlir::linalg::LinalgDialect>();
  registerFusionPasses();
  registerLayoutPasses();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  int code = run(argc, argv, registry);
  llvm::outs().flush();
  if (llvm::outs().has_error() && code == files::exitSuccess)
    code = fail("cannot write to standard output", files::exitOutput);
  llvm::outs().clear_error(); // or LLVM ends with an abort
  llvm::errs().clear_error();
  return files::finishOutput("npu-opt", code);
}
