// SPDX-License-Identifier: Apache-2.0
//
// Orders of channels: what shuffles them, who takes and who gives them in any
// order, as constant weights allow.
#ifndef NPU_COMPILER_FUSION_CHANNELORDER_H
#define NPU_COMPILER_FUSION_CHANNELORDER_H

#include "compiler/Dialect/NPU/NPUDialect.h"

#include <optional>

namespace npu::rewrites {

/// The dimension of channels of images.
inline constexpr int64_t channelDim = 1;

/// Whether the value has batch, channels and something spatial.
bool isImage(Value value);

/// A view that gives the channels of an image in another order: result channel
/// c is channel from[c].
struct Shuffle {
  Value input;
  SmallVector<int64_t> from;
};

/// reshape(transpose(reshape(X))) that moves channels only.
std::optional<Shuffle> shuffleOf(Operation *last);
/// The ends of the shuffles that begin with this reshape; empty where it begins
/// something else as well.
SmallVector<Operation *> shufflesFrom(Operation *first);

/// Whether the slice takes channels only.
bool slicesChannels(SliceOp slice);

/// Whether the reader computes the same from the channels in any order, once
/// its constants, and those of who reads its result, have that, too.
bool takesAnyOrder(OpOperand &use);
/// Lets it read `data`, whose channel c is order[c] of what it reads now.
void takeInOrder(OpBuilder &builder, OpOperand &use, Value data,
                 ArrayRef<int64_t> order);

/// Whether constants decide in which order the value has its channels, and
/// nothing reads what lies in between.
bool givesAnyOrder(Value value);
/// Makes channel c of the value what is channel order[c] now.
void giveInOrder(OpBuilder &builder, Value value, ArrayRef<int64_t> order);

} // namespace npu::rewrites

#endif // NPU_COMPILER_FUSION_CHANNELORDER_H
