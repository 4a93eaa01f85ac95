// SPDX-License-Identifier: Apache-2.0
//
// How a kernel with weights numbers its output channels.
#ifndef NPU_COMPILER_FUSION_WEIGHTEDKERNEL_H
#define NPU_COMPILER_FUSION_WEIGHTEDKERNEL_H

#include "compiler/Dialect/NPU/NPUDialect.h"

#include <optional>

namespace npu {

struct WeightedKernel {
  npu_op kind;
  int64_t resultChannel; // dimension of the result
  int64_t weightChannel; // dimension of operand 1
  bool takesBias;        // as operand 2
  int64_t groups;        // of channels
};

/// Nothing of an op that is none, and of null.
std::optional<WeightedKernel> weightedKernel(Operation *op);

} // namespace npu

#endif // NPU_COMPILER_FUSION_WEIGHTEDKERNEL_H
