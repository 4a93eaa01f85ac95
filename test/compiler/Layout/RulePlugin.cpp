// SPDX-License-Identifier: Apache-2.0
//
// A layout rule, and a pass, outside of the program that asks for them, as
// docs/adding-a-strategy.md shows the rule: rule-plugin.mlir and
// npuc_plugin_test.py load it.
#include "compiler/Layout/Strategies/CustomRules.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

#include <csignal>

using namespace npu;

static llvm::SmallVector<std::string> blocksForLargeImages(mlir::Operation *op,
                                                           const TargetSpec &) {
  auto type = mlir::cast<mlir::RankedTensorType>(op->getOperand(0).getType());
  if (type.getDimSize(1) % 16 != 0)
    return {};
  return {"NCHW16c", "default"};
}

namespace {

/// Says how many ops a function has; or crashes, as a pass of others may.
class CountOps : public mlir::PassWrapper<CountOps, mlir::OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CountOps)

  CountOps() = default;
  CountOps(const CountOps &other) : PassWrapper(other) {}

  llvm::StringRef getArgument() const override { return "test-count-ops"; }
  llvm::StringRef getDescription() const override { return "Counts ops."; }
  void runOnOperation() override {
    if (crash)
      (void)raise(SIGSEGV);
    int64_t ops = 0;
    getOperation()->walk([&](mlir::Operation *) { ++ops; });
    getOperation()->emitRemark() << "holds " << ops - 1 << " ops";
  }

private:
  Option<bool> crash{*this, "crash", llvm::cl::desc("crashes"),
                     llvm::cl::init(false)};
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "blocks-for-large-images", "1", [] {
            registerLayoutRule(
                {"convert", "conv2d", /*target=*/"host", blocksForLargeImages});
            mlir::PassRegistration<CountOps>();
          }};
}
