// SPDX-License-Identifier: Apache-2.0
//
// In which rewrites a kind of kernel takes part.
#ifndef NPU_COMPILER_FUSION_FUSIONTRAITS_H
#define NPU_COMPILER_FUSION_FUSIONTRAITS_H

#include "compiler/Dialect/NPU/NPUDialect.h"

namespace npu {

struct FusionTraits {
  /// A transpose may pass from its operands to its result: SinkTransposes.cpp
  /// has a `sinkBelow` for it.
  bool sinksTransposes = false;
  /// A reshape that merges dimensions may: SinkReshapes.cpp renames what the
  /// op's attributes say of the others.
  bool sinksReshapes = false;
  /// Has `pads` that can stand for a padding with zeros in front of it.
  bool takesPads = false;
  /// No element of the result is below zero where none of the operands' is.
  bool keepsSign = false;
  /// The result's elements are operands', as they are, or constants.
  bool movesElements = false;
  /// Makes each channel of its result of the same channel of its data.
  bool keepsChannels = false;
  /// Sums products of its first two operands, in f32 where they are bf16.
  bool sumsWider = false;
  /// So many of its first operands may be bf16 for f32: it multiplies them.
  unsigned factors = 0;
  /// Stores what it computes in f32 as bf16, where that is all that is read.
  bool storesRounded = false;
};

FusionTraits fusionTraitsOf(KernelOpInterface op);

} // namespace npu

#endif // NPU_COMPILER_FUSION_FUSIONTRAITS_H
