// SPDX-License-Identifier: Apache-2.0
//
// Numbers that must lie within limits, whether they are known or a run reads
// them.
#ifndef NPU_COMPILER_FRONTEND_ONNX_ONNXWITHIN_H
#define NPU_COMPILER_FRONTEND_ONNX_ONNXWITHIN_H

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Frontend/ONNX/OnnxArithmetic.h"

namespace npu {

/// `numbers` as they are; null with an error that calls one of them `what` if
/// it is known and not in 0..extent-1. Of others a run ends with an error that
/// names the first: as places of an unpooling, which (unlike those of a gather)
/// may not be negative. It puts zeros, and one of them is added.
inline Value heldWithin(OnnxNode &node, Value numbers, int64_t extent,
                        StringRef what) {
  if (!numbers)
    return numbers;
  if (ElementsAttr known = constantOf(numbers)) {
    for (int64_t number : elementInts(known))
      if (number < 0 || number >= extent) {
        (void)node.error("found a " + what + " " + Twine(number) +
                         ", expected 0 to " + Twine(extent - 1));
        return {};
      }
    return numbers;
  }
  int64_t count = cast<RankedTensorType>(numbers.getType()).getNumElements();
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
