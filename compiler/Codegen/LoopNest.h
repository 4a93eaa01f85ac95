// SPDX-License-Identifier: Apache-2.0
//
// The loops of an elementwise kernel, in the order its result is stored, with
// each operand's stride in every loop. Plain integers, no IR.
#ifndef NPU_COMPILER_CODEGEN_LOOPNEST_H
#define NPU_COMPILER_CODEGEN_LOOPNEST_H

#include "kernels/kernel.h"

#include <optional>

namespace npu {

struct Loop {
  int64_t extent;
  /// Elements that each operand (inputs, then the result) advances per step.
  std::vector<int64_t> strides;
  /// The loop's index times `multiplier` is its part of logical dimension
  /// `dim` of the result.
  int dim;
  int64_t multiplier;
};

struct LoopNest {
  std::vector<Loop> loops; // outermost first, never empty
  /// Logical dimensions with padding lanes, which are stored as zero.
  struct Padded {
    int dim;
    int64_t extent;
  };
  std::vector<Padded> padded;
  /// Logical dimensions that the result stores up to `extent`, though their
  /// loops go beyond: an operand's block does not divide it. What lies there is
  /// neither read nor written.
  std::vector<Padded> ragged;

  int64_t rows() const; // product of all loops but the innermost
};

/// None where an operand's blocks and the result's do not divide each other; an
/// operand's need not divide the result's extent, unless that makes more rows
/// than the result has elements.
std::optional<LoopNest> makeLoopNest(const kernels::Problem &problem);

} // namespace npu

#endif // NPU_COMPILER_CODEGEN_LOOPNEST_H
