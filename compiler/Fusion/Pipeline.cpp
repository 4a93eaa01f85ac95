// SPDX-License-Identifier: Apache-2.0
//
// The order of the fusion stage, nowhere else.
#include "compiler/Fusion/FusionTraits.h"
#include "compiler/Fusion/Passes.h"

#include "mlir/Pass/PassRegistry.h"

using namespace npu;

void npu::buildFusionPipeline(mlir::OpPassManager &manager,
                              const TargetSpec *target, Precision precision) {
  mlir::OpPassManager &functions = manager.nest<mlir::func::FuncOp>();
  if (target)
    functions.addPass(createWidenTypes(target));
  functions.addPass(createSimplify());
  // While phases of an image still stand where the model has them.
  functions.addPass(createMatchDilations());
  // Before transposes sink below the factors of queries and keys.
  if (target)
    functions.addPass(createMatchAttention(target));
  functions.addPass(createSinkTransposes());
  // Activations before scales: an offset that belongs to an activation must
  // not vanish in a bias.
  functions.addPass(createMatchActivations());
  functions.addPass(createMatchNorms());
  // Before products are split: it says which parts of them are read.
  functions.addPass(createRouteChannels());
  functions.addPass(createSplitProducts(target));
  functions.addPass(createSinkReshapes());
  if (target)
    functions.addPass(createMatchColumns(target));
  functions.addPass(createFoldPad());
  functions.addPass(createSimplify());
  if (target)
    functions.addPass(createMatchRanges(target));
  functions.addPass(createFoldScale());
  // Beside the data's own 1 bf16 keeps little of a weight.
  functions.addPass(createMergeBranches({precision != Precision::Bf16}));
  // Behind scales: between weights and what belongs in them come sums.
  functions.addPass(createSinkResizes());
  functions.addPass(createMergeProducts());
  functions.addPass(createFoldRequantize());
  if (precision == Precision::Bf16)
    functions.addPass(createLowerPrecision(target));
  functions.addPass(createQuantizeData(target, precision != Precision::I8));
  if (target) {
    functions.addPass(createRequantizeIntegers(target));
    functions.addPass(createUnsignedBytes(target));
  }
  functions.addPass(createLowerQuantization());
  // Behind all passes that look for ops which nobody else reads.
  functions.addPass(createShareEqual());
  if (target)
    functions.addPass(createPlaceOps(target));
  functions.addPass(createFuse(target));
}

int64_t npu::countNarrowProducts(mlir::func::FuncOp function) {
  int64_t count = 0;
  function.walk([&](KernelOpInterface op) {
    if (!fusionTraitsOf(op).sumsWider)
      return;
    auto product = dyn_cast<MatmulOp>(*op);
    count += tensorType(op->getOperand(0)).getElementType().isBF16() ||
             (product && product.getQuantize() != 0);
  });
  return count;
}

namespace npu::fusion {
#define GEN_PASS_REGISTRATION
#include "compiler/Fusion/Passes.h.inc"
} // namespace npu::fusion

void npu::registerFusionPasses() {
  fusion::registerPasses();
  mlir::PassPipelineRegistration<>(
      "npu-fusion", "Everything that is fused before layouts are chosen",
      [](mlir::OpPassManager &manager) { buildFusionPipeline(manager); });
}
