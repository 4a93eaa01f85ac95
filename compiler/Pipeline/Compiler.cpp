// SPDX-License-Identifier: Apache-2.0
#include "compiler/Pipeline/Compiler.h"

#include "compiler/Codegen/Manifest.h"
#include "compiler/Codegen/NativeCode.h"
#include "compiler/Codegen/ProgramEmitter.h"
#include "compiler/Codegen/ProgramWriter.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Layout/ImageAxes.h"
#include "compiler/Pipeline/Report.h"
#include "compiler/Target/TargetSpec.h"
#include "kernels/tensor.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <chrono>

using namespace npu;

namespace {

/// One compilation; each method is a stage.
class Compilation {
public:
  Compilation(MLIRContext &context, const CompileOptions &options)
      : context(context), options(options) {}

  FailureOr<CompileReport> run();

private:
  LogicalResult stage(StringRef name, function_ref<LogicalResult()> work);
  LogicalResult error(const Twine &message) {
    return mlir::emitError(mlir::UnknownLoc::get(&context)) << message;
  }
  LogicalResult import();
  LogicalResult fuse();
  LogicalResult plan();
  LogicalResult generate();
  LogicalResult write();
  LogicalResult writeText(ArrayRef<char> bytes);
  mlir::func::FuncOp function() {
    return *module->getBody()->getOps<mlir::func::FuncOp>().begin();
  }

  MLIRContext &context;
  const CompileOptions &options;
  CompileReport report;
  std::optional<TargetSpec> target;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  ProgramPlan program;
  std::unique_ptr<llvm::TargetMachine> machine;
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> code;
  SmallVector<char, 0> object;
};

} // namespace

LogicalResult Compilation::stage(StringRef name,
                                 function_ref<LogicalResult()> work) {
  if (options.onStage)
    options.onStage(name);
  auto start = std::chrono::steady_clock::now();
  LogicalResult result = work();
  std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - start;
  report.seconds.emplace_back(name.str(), taken.count());
  return result;
}

LogicalResult Compilation::import() {
  if (llvm::sys::path::extension(options.model) == ".mlir") {
    module = mlir::parseSourceFile<mlir::ModuleOp>(options.model, &context);
  } else {
    FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> imported =
        importOnnx(context, options.model, options.import);
    if (succeeded(imported))
      module = std::move(*imported);
  }
  if (!module)
    return failure();
  auto functions = module->getBody()->getOps<mlir::func::FuncOp>();
  if (!llvm::hasSingleElement(functions) ||
      (*functions.begin()).getBody().getBlocks().size() != 1)
    return module->emitError("'")
           << options.model
           << "' must hold exactly one function of one block; split the model";
  return mlir::verify(*module);
}

LogicalResult Compilation::fuse() {
  mlir::PassManager manager(&context);
  FuseOptions fuseOptions;
  fuseOptions.threads = options.threads;
  buildFusionPipeline(manager, fuseOptions);
  return manager.run(*module);
}

LogicalResult Compilation::plan() {
  FailureOr<ProgramPlan> planned = planProgram(function(), options.threads);
  if (failed(planned))
    return failure();
  program = std::move(*planned);
  report.arenaBytes = program.arenaBytes;
  report.arenaLowerBoundBytes = program.arenaLowerBound;
  report.weightBytes = program.weights.bytes();
  for (const PlannedKernel &kernel : program.kernels) {
    ReportedKernel row;
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
  return success();
}

LogicalResult Compilation::generate() {
  FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> lowered =
      emitProgram(&context, program);
  if (failed(lowered))
    return failure();
  code = translateProgram(**lowered, llvmContext, *machine);
  if (!code)
    return failure();
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

LogicalResult Compilation::writeText(ArrayRef<char> bytes) {
  llvm::Error failed =
      llvm::writeToOutput(options.output, [&](llvm::raw_ostream &stream) {
        stream.write(bytes.data(), bytes.size());
        return llvm::Error::success();
      });
  if (failed)
    return error(llvm::toString(std::move(failed)));
  return success();
}

/// The layouts of inputs, then outputs, by name where the image axes are known.
static std::vector<std::string>
boundaryLayoutNames(mlir::func::FuncOp function) {
  ImageAxesAnalysis axes(function);
  std::vector<std::string> names;
  auto add = [&](Value value) {
    names.push_back(layoutName(getLayout(value), axes.of(value)));
  };
  llvm::for_each(function.getArguments(), add);
  llvm::for_each(function.front().getTerminator()->getOperands(), add);
  return names;
}

LogicalResult Compilation::write() {
  if (options.emit == EmitKind::Llvm) {
    std::string text;
    llvm::raw_string_ostream(text) << *code;
    return writeText(ArrayRef<char>(text.data(), text.size()));
  }
  if (options.emit != EmitKind::Npu)
    return writeText(object);
  format::Manifest manifest =
      makeManifest(program, boundaryLayoutNames(function()));
  manifest.targetName = target->name;
  manifest.targetMachine =
      llvm::formatv("{0}", llvm::json::Value(machineJson(target->machine)))
          .str();
  manifest.layoutStrategy = options.layout.strategy;
  manifest.modelName = llvm::sys::path::filename(options.model).str();
  for (const std::string &feature : requiredFeatures(*machine))
    manifest.cpuFeatures.push_back(feature);
  if (llvm::Error failed =
          writeProgram(options.output, object, program, manifest))
    return error(llvm::toString(std::move(failed)));
  return success();
}

FailureOr<CompileReport> Compilation::run() {
  std::string message;
  target = loadTarget(options.target, message);
  if (!target)
    return error(message);
  machine = makeTargetMachine(options.mcpu, message);
  if (!machine)
    return error(message);
  report.target = target->name;
  report.strategy = options.layout.strategy;
  if (failed(stage("import", [&] { return import(); })) ||
      failed(stage("fuse", [&] { return fuse(); })) ||
      failed(stage("layout", [&] {
        return runLayoutStage(function(), *target, options.layout);
      })))
    return failure();
  report.layout = reportLayouts(function(), *target);
  if (options.emit == EmitKind::Mlir) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    mlir::OpPrintingFlags flags;
    module->print(stream, flags.elideLargeResourceString(64));
    if (failed(writeText(ArrayRef<char>(text.data(), text.size()))))
      return failure();
    return report;
  }
  if (failed(stage("plan", [&] { return plan(); })) ||
      failed(stage("generate", [&] { return generate(); })) ||
      failed(stage("write", [&] { return write(); })))
    return failure();
  return report;
}

FailureOr<CompileReport> npu::compileModel(MLIRContext &context,
                                           const CompileOptions &options) {
  return Compilation(context, options).run();
}

void npu::registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<NPUDialect>();
  registerCodegenDialects(registry);
}
