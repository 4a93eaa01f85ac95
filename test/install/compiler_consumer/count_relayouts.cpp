// SPDX-License-Identifier: Apache-2.0
//
// count_relayouts MODEL TARGET STRATEGY: compiles with the installed libraries
// up to the layouts, and counts in a pass of its own what is left to move.
#include "all_headers.h"

#include "npu/compiler/Dialect/NPU/NPUDialect.h"
#include "npu/compiler/Pipeline/Compiler.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

#include <cstdio>

namespace {
struct CountRelayouts
    : mlir::PassWrapper<CountRelayouts, mlir::OperationPass<mlir::ModuleOp>> {
  void runOnOperation() override {
    int relayouts = 0, ops = 0;
    getOperation()->walk([&](mlir::Operation *op) {
      ++ops;
      relayouts += mlir::isa<npu::RelayoutOp>(op) ? 1 : 0;
    });
    std::printf("%d relayouts among %d ops\n", relayouts, ops);
  }
};
} // namespace

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  mlir::DialectRegistry registry;
  npu::registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  npu::CompileOptions options;
  options.model = argv[1];
  options.target = std::string(TARGETS) + "/" + argv[2] + ".yaml";
  options.layout.strategy = argv[3];
  options.emit = npu::EmitKind::Mlir;
  options.output = options.model + ".planned.mlir";
  npu::CompileReport report;
  npu::files::OutputFiles files;
  if (npu::compileModel(context, options, report, files) !=
          npu::CompileStatus::Ok ||
      !files.commit().empty())
    return 1;
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(options.output, &context);
  mlir::PassManager passes(&context);
  passes.addPass(std::make_unique<CountRelayouts>());
  return module && succeeded(passes.run(*module)) ? 0 : 1;
}
