// SPDX-License-Identifier: Apache-2.0
//
// The list of what may stay on a chip, of which a search takes the best.
#ifndef NPU_COMPILER_LAYOUT_PROBLEM_RESIDENCIES_H
#define NPU_COMPILER_LAYOUT_PROBLEM_RESIDENCIES_H

#include "compiler/Layout/Problem/LiveRanges.h"
#include "compiler/Layout/Problem/OnChip.h"

namespace npu {

/// Of so few candidates each set is in the list; of more the sets that take at
/// most a budget at any time, for a ladder of budgets.
constexpr size_t fewCandidates = 8;

struct LayoutProblem;

/// The choices that fit the target's memory, out of a list that depends on the
/// function and the target's demands and blocks alone: so a chip with more
/// memory has all the choices of one with less, and leaves more to the tiles in
/// each. Each set comes with slots of several sizes, and with places for copies
/// or without. The first holds most, the last nothing (but what is pinned, fit
/// or not). `wanted`: no more than the first so many.
std::vector<OnChipValues>
residenciesOf(const LayoutProblem &problem,
              size_t wanted = std::numeric_limits<size_t>::max());

/// That list in words.
std::string residencySpace();

/// Of one of the choices: that its ops cost at least so much.
struct ResidencyBound {
  int64_t least = 0;
  size_t number = 0;
};

/// The least first; among equals what takes least memory. `leastOf` is asked
/// for an op's cost with some values on the chip for nothing; ops that are null
/// cost nothing.
std::vector<ResidencyBound> boundsOf(
    ArrayRef<OnChipValues> choices, ArrayRef<Operation *> ops,
    llvm::function_ref<int64_t(size_t op, const OnChipValues &onChip)> leastOf);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_PROBLEM_RESIDENCIES_H
