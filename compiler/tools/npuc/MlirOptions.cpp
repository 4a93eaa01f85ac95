// SPDX-License-Identifier: Apache-2.0
#include "compiler/tools/npuc/MlirOptions.h"

#include "compiler/Fusion/Passes.h"
#include "compiler/Layout/Passes/Passes.h"
#include "compiler/Support/LlvmOptions.h"
#include "compiler/tools/npuc/CommandLine.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace npu;

static constexpr StringRef prefix = "mlir-";

/// The passes, too: options name them.
static void registerOptions() {
  registerFusionPasses();
  registerLayoutPasses();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
}

/// --mlir-help. LLVM's own help has hundreds of options that are not these.
static int printHelp() {
  std::map<StringRef, StringRef> options;
  for (const auto &entry : llvm::cl::getRegisteredOptions())
    if (entry.first.starts_with(prefix))
      options[entry.first] = entry.second->HelpStr;
  llvm::outs() << "MLIR's options, each as one word (--mlir-OPTION=VALUE):\n";
  for (auto [name, help] : options)
    llvm::outs() << llvm::formatv("  --{0,-44} {1}\n", name, help);
  return 0;
}

int MlirOptions::take(int &argc, char **argv) {
  std::vector<const char *> words = {argv[0]};
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    StringRef word = argv[i];
    const bool isOurs = !word.consume_front("--") || !word.starts_with(prefix);
    if (isOurs)
      argv[kept++] = argv[i];
    else
      words.push_back(argv[i]);
  }
  argc = kept;
  areGiven = words.size() > 1;
  if (!areGiven)
    return -1;
  registerOptions();
  if (llvm::is_contained(ArrayRef(words), StringRef("--mlir-help")))
    return printHelp();
  std::string wrong;
  llvm::raw_string_ostream stream(wrong);
  if (llvm::cl::ParseCommandLineOptions(static_cast<int>(words.size()),
                                        words.data(), "", &stream))
    return -1;
  printMessage("error", "MLIR's options: " + llvmComplaint(wrong, "npuc") +
                            "; npuc --mlir-help lists them");
  return files::exitUsage;
}

void MlirOptions::prepare(CompileOptions &options) {
  if (!areGiven)
    return;
  mlir::applyDefaultTimingManagerCLOptions(timing);
  root = timing.getRootScope();
  options.timing = &root;
  options.preparePasses = [](mlir::PassManager &manager) {
    return mlir::applyPassManagerCLOptions(manager);
  };
}
