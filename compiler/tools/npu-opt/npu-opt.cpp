// SPDX-License-Identifier: Apache-2.0
//
// Every pass by itself. Each stage registers its own passes; only the dialects
// in use are known.
#include "compiler/Dialect/NPU/NPUDialect.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Layout/Passes.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<npu::NPUDialect, mlir::func::FuncDialect>();
  npu::registerFusionPasses();
  npu::registerLayoutPasses();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "npu-opt: passes of npuc\n", registry));
}
