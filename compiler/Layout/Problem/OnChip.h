// SPDX-License-Identifier: Apache-2.0
//
// Which values stay in on-chip memory between their producer and their readers.
#ifndef NPU_COMPILER_LAYOUT_PROBLEM_ONCHIP_H
#define NPU_COMPILER_LAYOUT_PROBLEM_ONCHIP_H

#include "compiler/Layout/Problem/ImageAxes.h"

#include <memory>

namespace npu {

class TargetSpec;
struct LiveRanges;

/// One choice of such values. The same whatever layouts they get, so that what
/// an op costs depends on its own layouts only: a value is counted with the
/// largest block padding that the chip has, and with a copy for each reader.
class OnChipValues {
public:
  /// Those that take at most `budget` bytes at any time.
  OnChipValues(std::shared_ptr<const LiveRanges> ranges, double budget);

  /// Of a relayout or view: of what it is made from.
  bool contains(Value value) const;
  /// Bytes that are held for such values while the op runs.
  double reserved(Operation *op) const;
  /// The same while a relayout of the value runs, wherever it stands.
  double reservedFor(Value value) const;
  bool operator==(const OnChipValues &other) const;
  /// The same values, which take nothing.
  OnChipValues forNothing() const;

private:
  std::shared_ptr<const LiveRanges> ranges;
  llvm::DenseSet<Value> kept;
  SmallVector<double> held; // during each computing op
};

/// What may stay on a chip: one choice for each of a ladder of budgets below
/// its memory, most bytes first; at last nothing. The ladder depends on the
/// function alone, so that a chip with more memory has all the choices of one
/// with less, and leaves more to the tiles in each.
std::vector<OnChipValues> residenciesOf(mlir::func::FuncOp function,
                                        const TargetSpec &target,
                                        const ImageAxesAnalysis &axes);

/// All that may stay on a chip with any memory, and none of it taken from
/// tiles: no kernel costs less with any other choice.
OnChipValues allOnChip(mlir::func::FuncOp function, const TargetSpec &target,
                       const ImageAxesAnalysis &axes);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_PROBLEM_ONCHIP_H
