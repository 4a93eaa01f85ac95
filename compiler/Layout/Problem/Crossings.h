// SPDX-License-Identifier: Apache-2.0
//
// Which values pass between the chip and the processor beside it. That follows
// from where ops run, whatever layouts are chosen.
#ifndef NPU_COMPILER_LAYOUT_PROBLEM_CROSSINGS_H
#define NPU_COMPILER_LAYOUT_PROBLEM_CROSSINGS_H

#include "compiler/Dialect/NPU/NPUDialect.h"

namespace npu {

/// The value that a relayout or view of a value, or of its copy, is made from.
Value sourceOf(Value value);

/// Whether the op computes: it does more than moving or showing data.
bool isComputing(Operation &op);

/// Of a kernel of the processor.
struct Crossings {
  /// Operands that a kernel of the chip makes. What is given to the network and
  /// what is constant is there already.
  SmallVector<bool, 4> operands;
  bool result = false; ///< a kernel of the chip reads it
};

Crossings crossingsOf(Operation *op);

/// Whether an operand in front of this one brings what it needs: the same value
/// in the same layout. `layouts`: of the operands; null: as stored.
bool comesWithOther(Operation *op, unsigned operand,
                    ArrayRef<LayoutAttr> layouts);

/// Whether the op's value never has to leave the chip: it is made there, and
/// nothing else reads it.
bool staysOnChip(Value value);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_PROBLEM_CROSSINGS_H
