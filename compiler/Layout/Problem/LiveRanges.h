// SPDX-License-Identifier: Apache-2.0
//
// From where to where in a function its values live, and which of them may stay
// in on-chip memory meanwhile.
#ifndef NPU_COMPILER_LAYOUT_PROBLEM_LIVERANGES_H
#define NPU_COMPILER_LAYOUT_PROBLEM_LIVERANGES_H

#include "compiler/Layout/Problem/ImageAxes.h"
#include "compiler/Layout/Problem/OnChip.h"

#include <memory>

namespace npu {

class TargetSpec;
struct LayoutProblem;

/// A value from its producer to its last reader, as numbers of computing ops.
struct LiveRange {
  Value value;
  size_t first = 0, last = 0;
  size_t number = 0; // in program order
  int64_t tight = 0; // bytes without block padding
  int64_t wide = 0;  // in the order that pads most, behind views as well
  /// In the order of those that writer and readers demand which pads most;
  /// where they demand none, of values of the same shape, else `wide`.
  int64_t demanded = 0;
  int64_t readers = 0;
  /// Views show some reader its elements in another order than the model has
  /// them in. Whatever the target lists: a chip that takes more layouts has the
  /// same choices.
  bool isRearranged = false;
  /// A plan's file says that the value stays.
  bool isPinned = false;
};

struct LiveRanges {
  /// Computing ones, in order; the two kernels of a split op are as one.
  llvm::DenseMap<Operation *, size_t> ops;
  size_t count = 0;
  llvm::DenseMap<Value, std::pair<size_t, size_t>> of; // arguments too
  /// Those that computing ops of the chip alone make and read; the shortest
  /// lives first.
  SmallVector<LiveRange> candidates;
  /// Of ops that were split: values between that stay, without addresses.
  SmallVector<OnChipSlot, 0> betweens;
};

/// On an op, what a plan's file says of its result: a bool, whether it stays on
/// the chip.
constexpr StringRef residentAttr = "npu.resident";

/// A candidate that lives through more than 1,024 ops is taken to live through
/// all of the function.
std::shared_ptr<LiveRanges> rangesOf(mlir::func::FuncOp function,
                                     const TargetSpec &target,
                                     const ImageAxesAnalysis &axes);

/// Fills in what the target's demands say of the candidates.
void findDemands(const LayoutProblem &problem, LiveRanges &ranges);

/// Why an op's result never stays on the chip, whatever memory it has; empty:
/// it may.
std::string whyNotOnChip(OpResult result);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_PROBLEM_LIVERANGES_H
