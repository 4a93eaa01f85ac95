// SPDX-License-Identifier: Apache-2.0
//
// Which ops are one kernel. A chip's file says it (`fuses`, `algorithms`); of
// the machine that npuc runs on, the kernel library does.
#ifndef NPU_COMPILER_FUSION_FUSIONRULES_H
#define NPU_COMPILER_FUSION_FUSIONRULES_H

#include "compiler/Dialect/NPU/NPUDialect.h"

#include <memory>

namespace npu {

class TargetSpec;

class FusionRules {
public:
  virtual ~FusionRules() = default;
  /// Whether a group is one kernel; nobody reads it yet.
  virtual bool takeGroup(FusedOp group) const = 0;
  /// Whether attention of such shapes is; its operands are nobody's.
  virtual bool takeAttention(AttentionOp op) const = 0;
};

/// The target's, which must outlive them. Null: a chip that has a kernel for
/// everything.
std::unique_ptr<FusionRules> fusionRulesOf(const TargetSpec *target);

/// Those of a machine with `fuses: library`, for so many threads.
std::unique_ptr<FusionRules> fusionRulesOfLibrary(int threads);

} // namespace npu

#endif // NPU_COMPILER_FUSION_FUSIONRULES_H
