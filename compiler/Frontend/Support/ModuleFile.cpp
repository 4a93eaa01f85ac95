// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/Support/ModuleFile.h"

#include "compiler/Frontend/Support/SourceLocation.h"
#include "compiler/Support/Budget.h"
#include "compiler/Support/InputText.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace npu;
using mlir::ModuleOp;
using mlir::OwningOpRef;

/// A splat is a constant that is made of one number.
static LogicalResult checkSplats(ModuleOp module) {
  int64_t bytes = 0;
  auto result = module.walk([&](Operation *op) {
    for (NamedAttribute attribute : op->getAttrs())
      if (auto elements =
              dyn_cast<mlir::DenseElementsAttr>(attribute.getValue());
          elements && elements.isSplat() &&
          elements.getElementType().isIntOrFloat())
        bytes = llvm::SaturatingAdd<uint64_t>(
            bytes,
            llvm::SaturatingMultiply<uint64_t>(
                elements.getNumElements(),
                (elements.getElementType().getIntOrFloatBitWidth() + 7) / 8));
    std::string over = overBudget(Budget::Constants, bytes);
    if (over.empty())
      return mlir::WalkResult::advance();
    mlir::emitError(op->getLoc()) << over;
    return mlir::WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Some of MLIR's own parsers fail without a word.
static OwningOpRef<ModuleOp>
parseSource(MLIRContext &context, std::unique_ptr<llvm::MemoryBuffer> buffer) {
  std::string name = buffer->getBufferIdentifier().str();
  bool hasError = false;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        bool isError =
            diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
        // What parsers around the first error add says less.
        if (isError && hasError)
          return success();
        hasError |= isError;
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

static OwningOpRef<ModuleOp> parse(MLIRContext &context,
                                   std::unique_ptr<llvm::MemoryBuffer> buffer) {
  auto module = parseSource(context, std::move(buffer));
  if (module && failed(checkSplats(*module)))
    return nullptr;
  return module;
}

OwningOpRef<ModuleOp> npu::parseModule(MLIRContext &context, StringRef bytes,
                                       StringRef name) {
  return parse(context, llvm::MemoryBuffer::getMemBufferCopy(bytes, name));
}

/// What is wrong with it in front of any parser. Bytecode has neither brackets
/// nor digits.
static std::string whyNotModule(const llvm::MemoryBuffer &buffer) {
  return mlir::isBytecode(buffer) ? "" : whyNotModuleText(buffer.getBuffer());
}

OwningOpRef<ModuleOp> npu::readModule(MLIRContext &context, StringRef bytes,
                                      StringRef name) {
  std::string error =
      overBudget(Budget::File, static_cast<int64_t>(bytes.size()));
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(bytes, name);
  if (error.empty())
    error = whyNotModule(*buffer);
  if (error.empty())
    return parse(context, std::move(buffer));
  mlir::emitError(fileLocation(context, name)) << error;
  return nullptr;
}

OwningOpRef<ModuleOp> npu::readModuleFile(MLIRContext &context,
                                          StringRef path) {
  std::string error;
  auto buffer = readInput(path, Budget::File, error);
  if (buffer)
    error = whyNotModule(*buffer);
  if (error.empty())
    return parse(context, std::move(buffer));
  mlir::emitError(fileLocation(context, path)) << error;
  return nullptr;
}
