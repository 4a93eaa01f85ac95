// SPDX-License-Identifier: Apache-2.0
//
// What a static LLVM asks for and npuc never uses: other processors than
// x86-64, and Polly, which Debian's LTO library names and a package of its own
// has.
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"

// LLVM's names.
// NOLINTBEGIN(readability-identifier-naming)
#define OTHER_TARGET(NAME)                                                     \
  extern "C" void LLVMInitialize##NAME##TargetInfo() {}                        \
  extern "C" void LLVMInitialize##NAME##Target() {}                            \
  extern "C" void LLVMInitialize##NAME##TargetMC() {}                          \
  extern "C" void LLVMInitialize##NAME##AsmPrinter() {}                        \
  extern "C" void LLVMInitialize##NAME##AsmParser() {}
#include "OtherTargets.def"

llvm::PassPluginLibraryInfo getPollyPluginInfo();
llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "none", "", [](llvm::PassBuilder &) {}};
}
// NOLINTEND(readability-identifier-naming)
