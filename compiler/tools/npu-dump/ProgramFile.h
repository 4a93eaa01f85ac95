// SPDX-License-Identifier: Apache-2.0
//
// A .npu file as plain data, read without running anything of it: the manifest,
// the tables of program_format.h, the ELF's sections and functions.
#ifndef NPU_COMPILER_TOOLS_NPU_DUMP_PROGRAMFILE_H
#define NPU_COMPILER_TOOLS_NPU_DUMP_PROGRAMFILE_H

#include "format/custom_op.h"
#include "format/manifest.h"
#include "format/program_format.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/Triple.h"

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace npu::dump {

/// The file cannot be shown; the text says of it why, as in "is cut short".
struct DumpError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Section {
  std::string name;
  uint64_t bytes = 0;
  bool isCode = false;
  bool isWritable = false;
};

struct Function {
  std::string name;
  uint64_t address = 0;
  llvm::ArrayRef<uint8_t> code; // into ProgramFile::buffer
};

struct ProgramFile {
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  uint64_t fileBytes = 0;
  uint64_t elfBytes = 0;
  std::string manifestText, chipTable;
  format::Manifest manifest;
  llvm::Triple triple;
  npu_program root = {}; // its pointers are the image's addresses
  std::vector<npu_kernel_desc> kernels, makers;
  std::vector<npu_attrs> attrs;
  std::vector<npu_tensor_desc> tensors;
  std::vector<npu_instr> instrs;
  std::map<size_t, format::CustomOp> pluginOps; // by kernel
  std::vector<Section> sections;
  std::vector<Function> functions; // by address
};

/// Reads and checks the file. Throws DumpError.
ProgramFile readProgram(const std::string &path);

} // namespace npu::dump

#endif // NPU_COMPILER_TOOLS_NPU_DUMP_PROGRAMFILE_H
