// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/Support/ModuleFile.h"

#include "compiler/Frontend/Support/SourceLocation.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace npu;
using mlir::ModuleOp;
using mlir::OwningOpRef;

/// Some of MLIR's own parsers fail without a word.
static OwningOpRef<ModuleOp> parse(MLIRContext &context,
                                   std::unique_ptr<llvm::MemoryBuffer> buffer) {
  std::string name = buffer->getBufferIdentifier().str();
  bool hasError = false;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        hasError |= diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
        return failure(); // the next handler reports it
      });
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  auto module =
      mlir::parseSourceFile<ModuleOp>(sources, mlir::ParserConfig(&context));
  if (!module && !hasError)
    mlir::emitError(fileLocation(context, name))
        << "is no module that MLIR can read, and its parser gives no reason; "
           "look for attributes and operands that are misspelt";
  return module;
}

OwningOpRef<ModuleOp> npu::parseModule(MLIRContext &context, StringRef bytes,
                                       StringRef name) {
  return parse(context, llvm::MemoryBuffer::getMemBufferCopy(bytes, name));
}

OwningOpRef<ModuleOp> npu::readModuleFile(MLIRContext &context,
                                          StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (buffer)
    return parse(context, std::move(*buffer));
  mlir::emitError(fileLocation(context, path))
      << "cannot be read: " << buffer.getError().message();
  return nullptr;
}
