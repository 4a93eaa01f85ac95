// SPDX-License-Identifier: Apache-2.0
#include "compiler/Codegen/NativeCode.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <mutex>

using namespace npu;

static const char *const targetTriple = "x86_64-unknown-linux-gnu";

/// Features that the manifest names and the loader asks the processor for.
static const char *const checkedFeatures[] = {
    "sse4.2",  "avx",      "avx2",     "fma",      "f16c",      "bmi2",
    "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512vnni"};

/// What lld registers, too: all of it before any thread reads the list.
static void registerTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
    llvm::InitializeAllAsmParsers();
  });
}

std::unique_ptr<llvm::TargetMachine>
npu::makeTargetMachine(StringRef cpu, std::string &error) {
  registerTargets();
  llvm::Triple triple(targetTriple);
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  std::string name =
      cpu == "native" ? llvm::sys::getHostCPUName().str() : cpu.str();
  std::string features;
  if (cpu == "native")
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
      features += (features.empty() ? "" : ",") +
                  (feature.second ? std::string("+") : std::string("-")) +
                  feature.first().str();
  std::unique_ptr<llvm::MCSubtargetInfo> known(
      target->createMCSubtargetInfo(triple, "x86-64", ""));
  if (!known->isCPUStringValid(name)) {
    error = "'" + name +
            "' is no processor that LLVM knows; try native, "
            "x86-64-v3 or x86-64-v4";
    return nullptr;
  }
  llvm::TargetOptions options;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, name, features, options, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
  // Without these LLVM calls library functions, and a .npu file has none.
  for (const char *needed : {"fma", "f16c"})
    if (!machine->getMCSubtargetInfo()->checkFeatures(std::string("+") +
                                                      needed)) {
      error = "processor '" + name + "' has no " + needed +
              ", which generated code needs; try x86-64-v3 or a later one";
      return nullptr;
    }
  return machine;
}

SmallVector<std::string>
npu::requiredFeatures(const llvm::TargetMachine &machine) {
  SmallVector<std::string> names;
  for (const char *name : checkedFeatures)
    if (machine.getMCSubtargetInfo()->checkFeatures(std::string("+") + name))
      names.push_back(name);
  return names;
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = false; // kernels are vectors already
  tuning.SLPVectorization = false;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O1)
      .run(module, modules);
}

std::unique_ptr<llvm::Module>
npu::translateProgram(mlir::ModuleOp module, llvm::LLVMContext &context,
                      llvm::TargetMachine &machine) {
  mlir::registerBuiltinDialectTranslation(*module.getContext());
  mlir::registerLLVMDialectTranslation(*module.getContext());
  std::unique_ptr<llvm::Module> result =
      mlir::translateModuleToLLVMIR(module, context, "npu_program");
  if (!result)
    return nullptr;
  result->setTargetTriple(machine.getTargetTriple());
  result->setDataLayout(machine.createDataLayout());
  for (llvm::Function &function : *result) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("no-builtins");
    function.addFnAttr("prefer-vector-width", "512");
    function.addFnAttr(llvm::Attribute::NoUnwind);
    function.setVisibility(function.hasLocalLinkage()
                               ? llvm::GlobalValue::DefaultVisibility
                               : llvm::GlobalValue::HiddenVisibility);
  }
  optimize(*result, machine);
  return result;
}

FailureOr<SmallVector<char, 0>>
npu::emitMachineCode(llvm::Module &module, llvm::TargetMachine &machine,
                     bool assembly) {
  SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr,
                                  assembly ? llvm::CodeGenFileType::AssemblyFile
                                           : llvm::CodeGenFileType::ObjectFile))
    return failure();
  passes.run(module);
  return bytes;
}
