// SPDX-License-Identifier: Apache-2.0
//
// A relocatable ELF object of nothing but data: how weights and tables reach
// the linker without passing through LLVM IR.
#ifndef NPU_COMPILER_CODEGEN_RAWOBJECT_H
#define NPU_COMPILER_CODEGEN_RAWOBJECT_H

#include "compiler/Support/LLVM.h"

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace npu {

/// A read-only section and the one hidden symbol at its start.
struct RawSection {
  std::string name;
  std::string symbol;
  uint64_t alignment;
  std::vector<ArrayRef<char>> parts; // written one after the other
};

/// Writes the object for x86-64 to `path`.
llvm::Error writeRawObject(StringRef path, ArrayRef<RawSection> sections);

} // namespace npu

#endif // NPU_COMPILER_CODEGEN_RAWOBJECT_H
