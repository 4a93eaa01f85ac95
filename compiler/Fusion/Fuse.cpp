// SPDX-License-Identifier: Apache-2.0
//
// npu-fuse: groups of ops that run as one kernel.
#include "compiler/Fusion/FusionGroup.h"
#include "compiler/Fusion/FusionRules.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Fusion/TargetOption.h"
#include "compiler/Kernel/KernelProblem.h"

#include "llvm/ADT/STLExtras.h"

using namespace npu;

namespace npu {
#define GEN_PASS_DEF_FUSE
#include "compiler/Fusion/Passes.h.inc"
} // namespace npu

/// An op that elementwise ones may follow in its kernel.
static bool canBeRoot(Operation *op) {
  auto rule = dyn_cast<LayoutOpInterface>(op);
  return isa<KernelOpInterface>(op) && rule &&
         rule.getSensitivity() == Sensitivity::Heavy;
}

/// Makes the kernel of the group or of the largest part of it that is one;
/// null if none is.
static FusedOp makeLargest(FusionGroup group, const FusionRules &rules) {
  for (; group.size() > 1; group.shrink()) {
    FusedOp fused = group.create();
    // Kernels have limits, whatever they run on.
    if (kernels::validate(makeProblem(fused, /*threads=*/1)).empty() &&
        rules.takeGroup(fused)) {
      group.replaceBy(fused);
      return fused;
    }
    fused.erase();
  }
  return {};
}

FuseCounts npu::fuse(mlir::func::FuncOp function, const TargetSpec *target) {
  const std::unique_ptr<FusionRules> rules = fusionRulesOf(target);
  FuseCounts counts;
  for (Block &block : function.getBody()) {
    // Later roots first: of two convolutions that are added, the later one
    // takes the other's result as a residual that is already there.
    SmallVector<Operation *> roots;
    for (Operation &op : block)
      if (canBeRoot(&op))
        roots.push_back(&op);
    for (Operation *root : llvm::reverse(roots))
      if (makeLargest(FusionGroup::growDown(root), *rules))
        ++counts.rooted;

    // From the last op of a chain upwards, so that all of its producers join.
    Operation *next = nullptr;
    for (Operation *op = block.empty() ? nullptr : &block.back(); op;
         op = next) {
      next = op->getPrevNode();
      auto eltwise = dyn_cast<EltwiseOp>(op);
      if (!eltwise)
        continue;
      if (FusedOp fused = makeLargest(FusionGroup::growUp(eltwise), *rules)) {
        next = fused->getPrevNode();
        ++counts.chains;
      }
    }
  }
  return counts;
}

namespace {

struct FusePass : PassOfTarget<npu::impl::FuseBase<FusePass>> {
  using PassOfTarget::PassOfTarget;

  void runOnOperation() override {
    FuseCounts counts = fuse(getOperation(), spec.get());
    rooted += counts.rooted;
    chains += counts.chains;
  }
};

} // namespace

std::unique_ptr<mlir::Pass> npu::createFuse(const TargetSpec *target) {
  return std::make_unique<FusePass>(target);
}
