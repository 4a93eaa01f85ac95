// SPDX-License-Identifier: Apache-2.0
#include "compiler/Kernel/FreePart.h"

#include "compiler/Kernel/KernelProblem.h"
#include "kernels/tensor.h"

using namespace npu;

static Value behindViews(Value value) {
  for (Operation *op = value.getDefiningOp();
       op && isa<RelayoutOp, TransposeOp, ReshapeOp>(op);
       op = value.getDefiningOp())
    value = op->getOperand(0);
  return value;
}

/// Whether both are values between kernels, whatever layouts are chosen: a view
/// may move its bytes or not.
static bool areBetweenKernels(Operation *slice) {
  Value whole = behindViews(slice->getOperand(0)), part = slice->getResult(0);
  Operation *producer = whole.getDefiningOp();
  return producer && !isa<ConstantOp>(producer) &&
         llvm::none_of(slice->getBlock()->getTerminator()->getOperands(),
                       [&](Value result) {
                         Value returned = behindViews(result);
                         return returned == whole || returned == part;
                       });
}

static std::optional<int64_t> offsetOf(const kernels::Problem &problem) {
  const npu_tensor_desc &whole = problem.inputs[0], &part = problem.outputs[0];
  if (whole.block_count || part.block_count || kernels::elementCount(part) == 0)
    return std::nullopt;
  const kernels::Strides from = kernels::stridesOf(whole),
                         to = kernels::stridesOf(part);
  int64_t offset = 0;
  for (int d = 0; d < part.rank; ++d) {
    offset += problem.attrs.slice.starts[d] * from.outer[d];
    // Of one element in this dimension no step is ever made.
    if (part.dims[d] > 1 &&
        (problem.attrs.slice.steps[d] != 1 || from.outer[d] != to.outer[d]))
      return std::nullopt;
  }
  offset *= kernels::dtypeBytes(part.dtype);
  return offset % NPU_VALUE_ALIGNMENT == 0 ? std::optional(offset)
                                           : std::nullopt;
}

std::optional<int64_t> npu::freePart(Operation *op,
                                     ArrayRef<LayoutAttr> layouts) {
  if (!isa<SliceOp>(op) || !areBetweenKernels(op))
    return std::nullopt;
  return offsetOf(makeProblem(op, /*threads=*/1, layouts));
}
