// SPDX-License-Identifier: Apache-2.0
//
// Elementwise steps with one number for each channel.
#ifndef NPU_COMPILER_FUSION_CHANNELAFFINE_H
#define NPU_COMPILER_FUSION_CHANNELAFFINE_H

#include "compiler/Dialect/NPU/NPUDialect.h"

#include <optional>
#include <vector>

namespace npu {

using Floats = std::vector<float>;

/// scale[c] * x + offset[c] for each channel c; an empty vector is 1, or 0.
struct ChannelAffine {
  Value input;
  Floats scale, offset;
};

/// Reads `op` as such a step of operand `variable`; the other one is constant.
std::optional<ChannelAffine> affineStep(EltwiseOp op, int64_t channel,
                                        unsigned variable);
/// The same of whichever operand is not constant; nothing of null, or of an op
/// that has not two.
std::optional<ChannelAffine> affineStep(EltwiseOp op, int64_t channel);

} // namespace npu

#endif // NPU_COMPILER_FUSION_CHANNELAFFINE_H
