// SPDX-License-Identifier: Apache-2.0
//
// A layout rule outside of the program that asks it, as
// docs/adding-a-strategy.md shows one: rule-plugin.mlir loads it.
#include "compiler/Layout/Strategies/CustomRules.h"

#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace npu;

static llvm::SmallVector<std::string> blocksForLargeImages(mlir::Operation *op,
                                                           const TargetSpec &) {
  auto type = mlir::cast<mlir::RankedTensorType>(op->getOperand(0).getType());
  if (type.getDimSize(1) % 16 != 0)
    return {};
  return {"NCHW16c", "default"};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "blocks-for-large-images", "1", [] {
            registerLayoutRule(
                {"convert", "conv2d", /*target=*/"host", blocksForLargeImages});
          }};
}
