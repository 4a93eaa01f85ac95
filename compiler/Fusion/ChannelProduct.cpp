// SPDX-License-Identifier: Apache-2.0
#include "compiler/Fusion/ChannelProduct.h"

#include "compiler/Fusion/Rewrites.h"
#include "compiler/Fusion/WeightedKernel.h"

using namespace npu;
using namespace npu::rewrites;

/// Whether each result of a convolution is made of one position.
static bool readsOnePosition(const npu_conv_attrs &conv,
                             ArrayRef<int64_t> window) {
  for (auto [dim, extent] : llvm::enumerate(window))
    if (extent != 1 || conv.strides[dim] != 1 || conv.pads_begin[dim] != 0 ||
        conv.pads_end[dim] != 0)
      return false;
  return conv.groups == 1;
}

std::optional<ChannelProduct> npu::channelProductOf(Operation *op) {
  std::optional<WeightedKernel> kernel = weightedKernel(op);
  if (!kernel || !llvm::all_of(op->getOperands(), isF32) ||
      !llvm::all_of(op->getOperands().drop_front(),
                    [](Value operand) { return constantOf(operand); }))
    return std::nullopt;
  ChannelProduct product{op, kernel->resultChannel, 1 - kernel->weightChannel};
  ArrayRef<int64_t> weight = shapeOf(product.weight());
  npu_attrs attributes = {};
  llvm::cast<KernelOpInterface>(op).getKernel(attributes);
  if (kernel->kind == NPU_OP_CONV &&
      readsOnePosition(attributes.conv, weight.drop_front(2)))
    return product;
  if (kernel->kind == NPU_OP_MATMUL && weight.size() == 2)
    return product;
  return std::nullopt;
}
