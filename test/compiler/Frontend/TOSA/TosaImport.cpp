// SPDX-License-Identifier: Apache-2.0
//
// Prints what the TOSA front end makes of a file, piece by piece ("// -----"
// stands between pieces), and its errors, with "unsupported: " where nothing is
// wrong with the file. Open batches are bound to 2.
#include "compiler/Frontend/Support/ModuleFile.h"
#include "compiler/Frontend/Support/SourceLocation.h"
#include "compiler/Frontend/Support/Unsupported.h"
#include "compiler/Frontend/TOSA/TosaImporter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace npu;

static bool importPiece(StringRef text) {
  mlir::DialectRegistry registry;
  registerTosaDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  mlir::ScopedDiagnosticHandler handler(
      &context, [](mlir::Diagnostic &diagnostic) {
        llvm::errs() << describeLocation(diagnostic.getLocation()) << ": "
                     << (isUnsupported(diagnostic) ? "unsupported: " : "")
                     << diagnostic.str() << "\n";
        return success();
      });
  auto source = parseModule(context, text, "model");
  if (!source)
    return false;
  ImportOptions options;
  for (mlir::func::FuncOp function : source->getOps<mlir::func::FuncOp>())
    for (Type type : function.getArgumentTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        if (tensor.getRank() > 0 && tensor.isDynamicDim(0))
          options.batch = 2;
  auto imported = importTosa(*source, "model", options);
  if (failed(imported))
    return false;
  (*imported)->print(llvm::outs());
  return true;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    llvm::errs() << "usage: tosa-import FILE.mlir\n";
    return 2;
  }
  auto file = llvm::MemoryBuffer::getFile(argv[1]);
  if (!file) {
    llvm::errs() << argv[1] << ": " << file.getError().message() << "\n";
    return 2;
  }
  SmallVector<StringRef> pieces;
  (*file)->getBuffer().split(pieces, "// -----\n");
  bool isGood = true;
  for (StringRef piece : pieces)
    isGood &= importPiece(piece);
  return isGood ? 0 : 1;
}
