// SPDX-License-Identifier: Apache-2.0
//
// The language server of .mlir files in the npu dialect: an editor starts it
// and shows errors, definitions and types.
#include "compiler/Dialect/NPU/NPUDialect.h"

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &out) {
    out << "npu-lsp-server " NPU_VERSION "\n";
  });
  mlir::DialectRegistry registry;
  registry.insert<npu::NPUDialect, mlir::func::FuncDialect>();
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
