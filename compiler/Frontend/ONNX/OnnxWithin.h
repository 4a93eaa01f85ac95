// SPDX-License-Identifier: Apache-2.0
//
// Numbers that a run reads and that must lie within limits.
#ifndef NPU_COMPILER_FRONTEND_ONNX_ONNXWITHIN_H
#define NPU_COMPILER_FRONTEND_ONNX_ONNXWITHIN_H

#include "compiler/Frontend/ONNX/OnnxArithmetic.h"

namespace npu {

/// `numbers` as they are, but a run ends with an error that names the first
/// that is not in 0..extent-1: as places of an unpooling, which (unlike those
/// of a gather) may not be negative. It puts zeros, and one of them is added.
inline Value heldWithin(OnnxNode &node, Value numbers, int64_t extent) {
  int64_t count =
      numbers ? cast<RankedTensorType>(numbers.getType()).getNumElements() : 0;
  if (count == 0 || extent == 0)
    return numbers;
  Type element = elementOf(numbers);
  Ints all{1, 1, count};
  Value zeros = node.create<MaskunpoolOp>({1, 1, extent}, element,
                                          node.filled(0, all, element),
                                          node.reshape(numbers, all));
  return add(node, numbers,
             node.reshape(node.slice(zeros, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}),
                          Ints(rankOf(numbers), 1)));
}

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_ONNX_ONNXWITHIN_H
