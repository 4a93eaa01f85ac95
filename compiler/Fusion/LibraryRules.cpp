// SPDX-License-Identifier: Apache-2.0
//
// What is one kernel on the machine that npuc runs on: what its kernel library
// runs in one step. No chip's kernels depend on that.
#include "compiler/Fusion/FusionRules.h"
#include "compiler/Kernel/KernelProblem.h"

#include "llvm/ADT/STLExtras.h"

using namespace npu;

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

/// What is asked about, as layouts are not chosen yet: ops over N, C, spatial
/// with channels last, others row-major.
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

/// Whether one implementation runs the kernel directly: no second pass over the
/// result, no conversion inside and no reference that the root alone would not
/// need.
static bool runsDirectly(const kernels::Problem &problem) {
  kernels::Answer fused = kernels::query(problem);
  if (!fused.slow && fused.adapterBytes == 0)
    return true;
  kernels::Problem root = problem;
  root.instrs.clear();
  kernels::Answer alone = kernels::query(root);
  return fused.slow == alone.slow && fused.adapterBytes == alone.adapterBytes &&
         fused.implementation == alone.implementation;
}

namespace {

class RulesOfLibrary : public FusionRules {
public:
  explicit RulesOfLibrary(int threads) : threads(threads) {}

  bool takeGroup(FusedOp group) const override {
    if (!group.getRoot())
      return true; // generated code
    kernels::Problem problem = makeProblem(group, threads);
    storeAsUsual(problem);
    return runsDirectly(problem);
  }

  bool takeAttention(AttentionOp op) const override {
    kernels::Problem problem = makeProblem(op, threads);
    return !kernels::query(problem).slow;
  }

private:
  int threads;
};

} // namespace

std::unique_ptr<FusionRules> npu::fusionRulesOfLibrary(int threads) {
  return std::make_unique<RulesOfLibrary>(threads);
}
