// SPDX-License-Identifier: Apache-2.0
//
// Which ops are alike: a network repeats its layers, and what is found out
// about one of them holds for the others.
#ifndef NPU_COMPILER_LAYOUT_PROBLEM_ALIKEOPS_H
#define NPU_COMPILER_LAYOUT_PROBLEM_ALIKEOPS_H

#include "compiler/Layout/Problem/DimensionCuts.h"
#include "compiler/Layout/Problem/ImageAxes.h"

namespace npu {

/// Ops of one function are alike if they are the same op with the same
/// attributes and body, over values of the same shapes, types and image axes,
/// of which the same are one value. An op's image axes count; what its values
/// are to others does where the target's `runs` ask for it, and how they are
/// cut where its demands do. Whether operands
/// are constants, in which layouts values are and whether they stay on the chip
/// is not counted: that may change while a function is rewritten. Relayouts,
/// which come and go, have no number.
class AlikeOps {
public:
  /// `cuts`: null where nobody asks.
  AlikeOps(const ImageAxesAnalysis &axes, bool countsValueAxes,
           const DimensionCuts *cuts)
      : axes(axes), countsValueAxes(countsValueAxes), cuts(cuts) {}

  /// The number that ops which are alike share.
  unsigned of(Operation *op);

private:
  bool areAlike(Operation *a, Operation *b) const;
  bool haveOneImage(Operation *a, Operation *b) const;
  bool areCutAlike(Operation *a, Operation *b) const;

  const ImageAxesAnalysis &axes;
  bool countsValueAxes;
  const DimensionCuts *cuts;
  llvm::DenseMap<Operation *, unsigned> numbers;
  SmallVector<Operation *> firsts; // by number
  llvm::DenseMap<size_t, SmallVector<unsigned, 1>> byHash;
};

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_PROBLEM_ALIKEOPS_H
