// SPDX-License-Identifier: Apache-2.0
//
// npu-fuse: groups of ops that run as one kernel.
#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Fusion/FusionGroup.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Fusion/PreferredLayouts.h"
#include "compiler/Fusion/Rewrites.h"
#include "compiler/Fusion/TargetOption.h"
#include "compiler/Kernel/KernelProblem.h"

#include "llvm/ADT/STLExtras.h"

#include <optional>

using namespace npu;

namespace npu {
#define GEN_PASS_DEF_FUSE
#include "compiler/Fusion/Passes.h.inc"
} // namespace npu

/// Stores an activation of the root's rank with its channels innermost, and a
/// weight with its output channels innermost but one.
static void storeChannelsLast(npu_tensor_desc &tensor, bool isWeight) {
  int spatial = tensor.rank - 2, next = 0;
  if (!isWeight)
    tensor.order[next++] = 0;
  for (int i = 0; i < spatial; ++i)
    tensor.order[next++] = static_cast<int8_t>(2 + i);
  if (isWeight)
    tensor.order[next++] = 0;
  tensor.order[next++] = 1;
}

/// What is asked about where the target takes any order: of ops over N, C,
/// spatial channels last, of others row-major.
static void storeAsUsual(kernels::Problem &problem) {
  bool isConv =
      problem.op == NPU_OP_CONV || problem.op == NPU_OP_CONV_TRANSPOSE;
  bool isPool = problem.op == NPU_OP_MAX_POOL || problem.op == NPU_OP_AVG_POOL;
  if (!isConv && !isPool)
    return;
  int rank = problem.outputs[0].rank;
  for (auto [index, tensor] : llvm::enumerate(problem.inputs))
    if (tensor.rank == rank)
      storeChannelsLast(tensor, isConv && index == 1);
  storeChannelsLast(problem.outputs[0], false);
}

/// The group's problem in the orders that the layout stage will likely choose.
static void storeForTarget(const TargetSpec &target, LayoutOpInterface op,
                           kernels::Problem &problem) {
  auto store = [](npu_tensor_desc &tensor, Value value, LayoutAttr layout) {
    int64_t weights = tensor.weights_offset;
    tensor = describeTensor(withLayout(tensorType(value), layout));
    tensor.weights_offset = weights;
  };
  LayoutRelation relation = op.getLayoutRelation();
  LayoutAttr result = preferredResult(target, op, relation);
  if (!result)
    return;
  store(problem.outputs[0], op->getResult(0), result);
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    if (LayoutAttr layout =
            preferredOperand(target, op, index, relation, result))
      store(problem.inputs[index], operand, layout);
}

namespace {
/// How the library runs a group.
enum class Taken { No, OnReference, Fast };
} // namespace

/// Whether one implementation runs the kernel directly: no second pass over the
/// result, no conversion inside and no reference that the root alone would not
/// need.
static Taken runsDirectly(const kernels::Problem &problem) {
  kernels::Answer fused = kernels::query(problem);
  if (!fused.slow && fused.adapterBytes == 0)
    return Taken::Fast;
  kernels::Problem root = problem;
  root.instrs.clear();
  kernels::Answer alone = kernels::query(root);
  if (fused.slow != alone.slow || fused.adapterBytes != alone.adapterBytes ||
      fused.implementation != alone.implementation)
    return Taken::No;
  return fused.slow ? Taken::OnReference : Taken::Fast;
}

static Taken libraryTakes(FusedOp fused, const TargetSpec *target,
                          int threads) {
  kernels::Problem problem = makeProblem(fused, threads);
  if (!kernels::validate(problem).empty())
    return Taken::No;
  storeAsUsual(problem);
  if (target)
    storeForTarget(*target, fused, problem);
  return runsDirectly(problem);
}

/// An op whose kernel can run elementwise functions on its result before it
/// stores it; which of them, the library says.
static bool canBeRoot(Operation *op) {
  auto rule = dyn_cast<LayoutOpInterface>(op);
  return isa<KernelOpInterface>(op) && rule &&
         rule.getSensitivity() == Sensitivity::Heavy;
}

/// Makes the largest group around `root` that the library takes; one that it
/// takes on a reference only if there is no other.
static bool fuseRoot(Operation *root, const TargetSpec *target, int threads) {
  std::optional<FusionGroup> onReference;
  for (FusionGroup group = FusionGroup::growDown(root); group.size() > 1;
       group.shrink()) {
    FusedOp fused = group.create();
    Taken taken = libraryTakes(fused, target, threads);
    if (taken == Taken::Fast) {
      group.replaceBy(fused);
      return true;
    }
    fused.erase();
    if (taken == Taken::OnReference && !onReference)
      onReference = group;
  }
  if (onReference)
    onReference->replaceBy(onReference->create());
  return onReference.has_value();
}

FuseCounts npu::fuse(mlir::func::FuncOp function, const TargetSpec *target,
                     int threads) {
  FuseCounts counts;
  for (Block &block : function.getBody()) {
    // Later roots first: of two convolutions that are added, the later one
    // takes the other's result as a residual that is already there.
    SmallVector<Operation *> roots;
    for (Operation &op : block)
      if (canBeRoot(&op))
        roots.push_back(&op);
    for (Operation *root : llvm::reverse(roots))
      counts.rooted += fuseRoot(root, target, threads);

    // From the last op of a chain upwards, so that all of its producers join.
    Operation *next = nullptr;
    for (Operation *op = block.empty() ? nullptr : &block.back(); op;
         op = next) {
      next = op->getPrevNode();
      auto eltwise = dyn_cast<EltwiseOp>(op);
      if (!eltwise)
        continue;
      FusionGroup group = FusionGroup::growUp(eltwise);
      if (group.size() < 2)
        continue;
      FusedOp fused = group.create();
      group.replaceBy(fused);
      next = fused->getPrevNode();
      ++counts.chains;
    }
  }
  return counts;
}

namespace {

struct FusePass : PassOfTarget<npu::impl::FuseBase<FusePass>> {
  using PassOfTarget::PassOfTarget;

  FusePass(const TargetSpec *given, int threads) : PassOfTarget(given) {
    this->threads = threads;
  }

  void runOnOperation() override {
    FuseCounts counts = fuse(getOperation(), spec.get(), threads);
    rooted += counts.rooted;
    chains += counts.chains;
  }
};

} // namespace

std::unique_ptr<mlir::Pass> npu::createFuse(const TargetSpec *target,
                                            int threads) {
  return std::make_unique<FusePass>(target, threads);
}
