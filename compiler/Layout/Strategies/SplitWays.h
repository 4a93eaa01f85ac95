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

/// Each way of the first kernel with each of the second. Where nothing is moved
/// between the two the op has the same layouts whole; it is dearer so where its
/// tiles are smaller, or where the target multiplies its time. On a machine
/// with a `cache`, in which the second kernel finds what the first one gave,
/// that says nothing, and such ways are left out; not with `all`.
SplitWays splitWays(const LayoutProblem &problem, const OpSlots &whole,
                    const SplitSlots &split, const Candidates &known,
                    bool hasReaders, size_t most, bool all);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_STRATEGIES_SPLITWAYS_H
