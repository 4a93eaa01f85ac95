// SPDX-License-Identifier: Apache-2.0
//
// The ways of a fused op as two kernels, whose values' layouts need not go
// together: there is a relayout between the two.
#ifndef NPU_COMPILER_LAYOUT_STRATEGIES_SPLITWAYS_H
#define NPU_COMPILER_LAYOUT_STRATEGIES_SPLITWAYS_H

#include "compiler/Layout/Strategies/OpWays.h"

namespace npu {

struct SplitWays {
  std::vector<OpWay> ways;
  size_t looked = 0;  // combinations of both kernels' ways
  bool isCut = false; // more than `most`
};

/// Combines each way of the first kernel with each of the second. Without a
/// relayout between them the two kernels have layouts that the whole op has,
/// too, and cost less only where the op has smaller tiles or a larger `cost`
/// factor. The cost model does not know that a `cache` keeps what the first
/// kernel gave, so on such a machine these ways are left out, unless `all`.
SplitWays splitWays(const LayoutProblem &problem, const OpSlots &whole,
                    const SplitSlots &split, const Candidates &known,
                    bool hasReaders, size_t most, bool all);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_STRATEGIES_SPLITWAYS_H
