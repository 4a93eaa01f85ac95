// SPDX-License-Identifier: Apache-2.0
//
// Products by constants of the channels at each position.
#ifndef NPU_COMPILER_FUSION_CHANNELPRODUCT_H
#define NPU_COMPILER_FUSION_CHANNELPRODUCT_H

#include "compiler/Dialect/NPU/NPUDialect.h"

#include <optional>

namespace npu {

/// A product of f32 by constants of the channels at each position of its data,
/// and of nothing else: the dimension of data and result that has these, and
/// that of the weight which meets the data's.
struct ChannelProduct {
  Operation *op;
  int64_t channel, weightDim;

  Value weight() const { return op->getOperand(1); }
  Value result() const { return op->getResult(0); }
  int64_t dataChannels() const {
    return tensorType(op->getOperand(0)).getDimSize(channel);
  }
  int64_t resultChannels() const {
    return tensorType(result()).getDimSize(channel);
  }
};

/// Nothing of an op that is none.
std::optional<ChannelProduct> channelProductOf(Operation *op);

} // namespace npu

#endif // NPU_COMPILER_FUSION_CHANNELPRODUCT_H
