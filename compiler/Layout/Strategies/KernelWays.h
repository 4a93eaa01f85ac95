// SPDX-License-Identifier: Apache-2.0
//
// The ways of an op that computes: which layouts of its values it may have
// together.
#ifndef NPU_COMPILER_LAYOUT_STRATEGIES_KERNELWAYS_H
#define NPU_COMPILER_LAYOUT_STRATEGIES_KERNELWAYS_H

#include "compiler/Layout/Problem/Cost.h"
#include "compiler/Layout/Strategies/Candidates.h"

namespace npu {

/// The layouts of an op's values in each of its ways; null: as stored, or a
/// reader's affair.
struct KernelWays {
  std::vector<OpLayouts> ways;
  bool isCut = false; // there are more
};

/// By one of the op's signatures. `hasReaders`: some of its operands are ops of
/// the search of their own. At most so many with each layout of the result.
KernelWays kernelWays(const OpSlots &slots, const Candidates &known,
                      bool hasReaders, size_t most);

/// What is demanded of an operand's value; or as it is stored, but for what
/// only a view shows.
SmallVector<LayoutAttr> knownOf(const Candidates &known, const Slot &slot);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_STRATEGIES_KERNELWAYS_H
