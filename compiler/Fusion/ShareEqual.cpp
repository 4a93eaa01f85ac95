// SPDX-License-Identifier: Apache-2.0
//
// npu-share-equal: what a model says several times is computed once. Each step
// removes an op.
#include "compiler/Fusion/Passes.h"
#include "compiler/Fusion/Rewrites.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"

using namespace npu;
using namespace npu::rewrites;

namespace npu {
#define GEN_PASS_DEF_SHAREEQUAL
#include "compiler/Fusion/Passes.h.inc"
} // namespace npu

namespace {

/// The op that stays is that of both nodes of the model.
struct JoinNames : mlir::RewriterBase::Listener {
  void notifyOperationReplaced(Operation *op, mlir::ValueRange by) override {
    Operation *kept = by.front().getDefiningOp();
    kept->setLoc(fuseLocations({kept, op}));
  }
};

struct ShareEqualPass : npu::impl::ShareEqualBase<ShareEqualPass> {
  void runOnOperation() override { shareEqual(getOperation()); }
};

} // namespace

void npu::shareEqual(Operation *root) {
  JoinNames names;
  mlir::IRRewriter rewriter(root->getContext(), &names);
  mlir::DominanceInfo dominance(root);
  mlir::eliminateCommonSubExpressions(rewriter, dominance, root);
}
