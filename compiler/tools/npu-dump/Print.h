// SPDX-License-Identifier: Apache-2.0
//
// What npu-dump shows of a file, as text and as JSON.
#ifndef NPU_COMPILER_TOOLS_NPU_DUMP_PRINT_H
#define NPU_COMPILER_TOOLS_NPU_DUMP_PRINT_H

#include "compiler/tools/npu-dump/ProgramFile.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace npu::dump {

struct Parts {
  bool signature = false;
  bool kernels = false;
  bool memory = false;
  bool sections = false;
  bool disassembly = false;
  bool manifest = false;
  bool chip = false; // as text alone
};

void printText(llvm::raw_ostream &out, const ProgramFile &file,
               const Parts &parts);
llvm::json::Value toJson(const ProgramFile &file, const Parts &parts);

/// "1x64x56x56"; "scalar".
std::string shapeText(llvm::ArrayRef<int64_t> shape);

/// The instructions of a function, one line each. Throws DumpError where LLVM
/// has no disassembler for the file's processor.
std::vector<std::string> disassemble(const llvm::Triple &triple,
                                     const Function &function);

} // namespace npu::dump

#endif // NPU_COMPILER_TOOLS_NPU_DUMP_PRINT_H
