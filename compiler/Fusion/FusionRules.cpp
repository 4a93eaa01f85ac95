// SPDX-License-Identifier: Apache-2.0
#include "compiler/Fusion/FusionRules.h"

#include "compiler/Target/Lacks.h"

using namespace npu;

namespace {

class RulesOfTarget : public FusionRules {
public:
  explicit RulesOfTarget(const TargetSpec *target) : target(target) {}

  bool takeGroup(FusedOp group) const override {
    SmallVector<Operation *> ops;
    for (Operation &op : group.getBody().front().without_terminator())
      ops.push_back(&op);
    return !target || mayFuse(*target, ops);
  }

  bool takeAttention(AttentionOp op) const override {
    return !target || (llvm::is_contained(target->algorithms, "attention") &&
                       !lackAs(*target, op, op.getDemandName()));
  }

private:
  const TargetSpec *target;
};

} // namespace

std::unique_ptr<FusionRules> npu::fusionRulesOf(const TargetSpec *target) {
  if (target && target->fuses.source == Fuses::Source::Library)
    return fusionRulesOfLibrary(static_cast<int>(target->measured->threads));
  return std::make_unique<RulesOfTarget>(target);
}
