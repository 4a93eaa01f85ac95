// SPDX-License-Identifier: Apache-2.0
#include "compiler/Fusion/ChannelAffine.h"

#include "compiler/Fusion/Rewrites.h"

#include <cmath>

using namespace npu;
using namespace npu::rewrites;

/// One number for each channel from a constant that varies over the channel
/// dimension of `shape` at most.
static std::optional<Floats>
channelValues(Value constant, ArrayRef<int64_t> shape, int64_t channel) {
  std::optional<Floats> values = floatsOf(constant);
  ArrayRef<int64_t> own = shapeOf(constant);
  if (!values || values->empty() || own.size() > shape.size())
    return std::nullopt;
  int64_t shift = static_cast<int64_t>(shape.size() - own.size());
  for (auto [dim, extent] : llvm::enumerate(own))
    if (extent != 1 && static_cast<int64_t>(dim) + shift != channel)
      return std::nullopt;
  if (values->size() == 1)
    values->assign(shape[channel], values->front());
  return values;
}

std::optional<ChannelAffine> npu::affineStep(EltwiseOp op, int64_t channel,
                                             unsigned variable) {
  Value constant = op.getInputs()[1 - variable];
  ChannelAffine step{op.getInputs()[variable], {}, {}};
  std::optional<Floats> values =
      channelValues(constant, shapeOf(op.getResult()), channel);
  if (!values || step.input.getType() != op.getResult().getType())
    return std::nullopt;
  switch (op.getKind()) {
  case NPU_INSTR_add:
    step.offset = *values;
    return step;
  case NPU_INSTR_mul:
    step.scale = *values;
    return step;
  case NPU_INSTR_sub: // x - c or c - x
    step.offset = *values;
    if (variable == 1)
      step.scale.assign(values->size(), -1.0f);
    else
      for (float &value : step.offset)
        value = -value;
    return step;
  case NPU_INSTR_div:
    if (variable != 0)
      return std::nullopt;
    for (float value : *values) {
      if (!std::isnormal(value) || !std::isnormal(1 / value))
        return std::nullopt;
      step.scale.push_back(1 / value);
    }
    return step;
  default:
    return std::nullopt;
  }
}

std::optional<ChannelAffine> npu::affineStep(EltwiseOp op, int64_t channel) {
  if (!op || op.getInputs().size() != 2)
    return std::nullopt;
  for (unsigned variable : {0U, 1U})
    if (auto step = affineStep(op, channel, variable))
      return step;
  return std::nullopt;
}
