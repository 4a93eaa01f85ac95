// SPDX-License-Identifier: Apache-2.0
#include "compiler/Fusion/WeightedKernel.h"

using namespace npu;

std::optional<WeightedKernel> npu::weightedKernel(Operation *op) {
  auto kernel = llvm::dyn_cast_or_null<KernelOpInterface>(op);
  if (!kernel)
    return std::nullopt;
  npu_attrs attributes = {};
  npu_op kind = kernel.getKernel(attributes);
  bool isConv = kind == NPU_OP_CONV || kind == NPU_OP_CONV_TRANSPOSE;
  // A gradient takes no bias, and its result's channels are the weight's inner.
  if (isConv && !attributes.conv.weight_of_conv)
    return WeightedKernel{kind, 1, 0, true, attributes.conv.groups};
  if (kind == NPU_OP_MATMUL)
    return WeightedKernel{kind, tensorType(op->getResult(0)).getRank() - 1,
                          tensorType(op->getOperand(1)).getRank() - 1, false,
                          1};
  return std::nullopt;
}
