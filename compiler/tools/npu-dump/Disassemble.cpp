// SPDX-License-Identifier: Apache-2.0
#include "compiler/tools/npu-dump/Print.h"

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/TargetSelect.h"

using namespace npu;
using namespace npu::dump;

namespace {

/// LLVM's disassembler for one processor, with all that it needs alive.
class Disassembler {
public:
  explicit Disassembler(const llvm::Triple &triple);
  std::vector<std::string> run(const Function &function);

private:
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembly;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> decoder;
  std::unique_ptr<llvm::MCInstPrinter> printer;
};

} // namespace

Disassembler::Disassembler(const llvm::Triple &triple) {
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllDisassemblers();
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    throw DumpError("has code that cannot be disassembled: " + error);
  registers.reset(target->createMCRegInfo(triple));
  assembly.reset(target->createMCAsmInfo(*registers, triple, options));
  // No processor's name: every extension that the file may use is on.
  subtarget.reset(target->createMCSubtargetInfo(
      triple, triple.isX86() ? "sapphirerapids" : "", ""));
  instructions.reset(target->createMCInstrInfo());
  context = std::make_unique<llvm::MCContext>(triple, assembly.get(),
                                              registers.get(), subtarget.get());
  decoder.reset(target->createMCDisassembler(*subtarget, *context));
  printer.reset(target->createMCInstPrinter(
      triple,
      /*SyntaxVariant=*/triple.isX86(), *assembly, *instructions, *registers));
  if (!decoder || !printer)
    throw DumpError("has code that cannot be disassembled: LLVM has no "
                    "disassembler for " +
                    triple.getArchName().str());
  printer->setPrintBranchImmAsAddress(true);
}

std::vector<std::string> Disassembler::run(const Function &function) {
  std::vector<std::string> lines;
  for (uint64_t offset = 0; offset < function.code.size();) {
    uint64_t address = function.address + offset, size = 0;
    llvm::MCInst instruction;
    auto status = decoder->getInstruction(instruction, size,
                                          function.code.drop_front(offset),
                                          address, llvm::nulls());
    std::string text;
    llvm::raw_string_ostream stream(text);
    if (status == llvm::MCDisassembler::Fail)
      stream << "\t(not an instruction)";
    else
      printer->printInst(&instruction, address, "", *subtarget, stream);
    lines.push_back(llvm::formatv("{0,8:x-}:{1}", address, text).str());
    offset += std::max<uint64_t>(size, 1);
  }
  return lines;
}

std::vector<std::string> dump::disassemble(const llvm::Triple &triple,
                                           const Function &function) {
  return Disassembler(triple).run(function);
}
