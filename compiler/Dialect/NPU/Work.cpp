// SPDX-License-Identifier: Apache-2.0
#include "compiler/Dialect/NPU/Work.h"

#include <numeric>

using namespace npu;

static double elementsOf(Value value) {
  return static_cast<double>(tensorType(value).getNumElements());
}

/// Vector operations for each element: exponential, sum and quotient.
static constexpr double softmaxSteps = 3;
/// Two sums, a multiplication and an addition.
static constexpr double normSteps = 4;

/// Each result needs one slice of the weight (O, C / groups, spatial).
static Work convWork(Operation *op) {
  double outputs =
      std::max<int64_t>(1, tensorType(op->getOperand(1)).getShape()[0]);
  return {elementsOf(op->getResult(0)) * elementsOf(op->getOperand(1)) /
              outputs,
          0};
}

/// Each element of the data meets the weights of its group.
static Work convTransposeWork(Operation *op) {
  double channels =
      std::max<int64_t>(1, tensorType(op->getOperand(0)).getShape()[1]);
  return {elementsOf(op->getOperand(0)) * elementsOf(op->getOperand(1)) /
              channels,
          0};
}

/// Each element of the gradient meets the inputs of its group.
static Work convBpwWork(Operation *op) {
  double outputs =
      std::max<int64_t>(1, tensorType(op->getResult(0)).getShape()[0]);
  return {elementsOf(op->getOperand(1)) * elementsOf(op->getResult(0)) /
              outputs,
          0};
}

/// One channel of one tile taken to one point or back, and one transformed
/// weight read, in multiply-adds: fitted to the table in docs/kernels.md.
static constexpr double transformCost = 32, weightCost = 15;

double npu::winogradMacs(ArrayRef<int64_t> result, int64_t channels,
                         int64_t tile) {
  auto across = [&](int64_t extent) { return (extent + tile - 1) / tile; };
  auto tiles =
      static_cast<double>(result[0] * across(result[2]) * across(result[3]));
  auto pairs = static_cast<double>(channels * result[1]);
  auto transformed = static_cast<double>(channels + result[1]);
  auto points = static_cast<double>((tile + 2) * (tile + 2));
  return points * (tiles * pairs + transformCost * tiles * transformed +
                   weightCost * pairs);
}

static Work poolWork(Operation *op, const npu_pool_attrs &pool) {
  int64_t spatial = tensorType(op->getResult(0)).getRank() - 2;
  double window = std::accumulate(pool.kernel, pool.kernel + spatial, 1.0,
                                  std::multiplies<>());
  return {0, elementsOf(op->getResult(0)) * window};
}

static Work matmulWork(Operation *op) {
  double depth = tensorType(op->getOperand(0)).getShape().back();
  return {elementsOf(op->getResult(0)) * depth, 0};
}

static Work kernelWork(KernelOpInterface op) {
  npu_attrs attributes = {};
  switch (op.getKernel(attributes)) {
  case NPU_OP_CONV:
    return convWork(op);
  case NPU_OP_CONV_TRANSPOSE:
    return convTransposeWork(op);
  case NPU_OP_CONV_BPW:
    return convBpwWork(op);
  case NPU_OP_TENSORNORM:
    return {0, normSteps * elementsOf(op->getResult(0))};
  case NPU_OP_CONV_WINOGRAD:
    return {winogradMacs(tensorType(op->getResult(0)).getShape(),
                         tensorType(op->getOperand(0)).getShape()[1],
                         attributes.winograd.tile),
            0};
  case NPU_OP_MAX_POOL:
  case NPU_OP_AVG_POOL:
    return poolWork(op, attributes.pool);
  case NPU_OP_MATMUL:
    return matmulWork(op);
  case NPU_OP_SOFTMAX:
    return {0, softmaxSteps * elementsOf(op->getResult(0))};
  case NPU_OP_RELAYOUT:
  case NPU_OP_TRANSPOSE:
  case NPU_OP_RESHAPE:
    return {};
  default:
    break;
  }
  double largest = elementsOf(op->getResult(0));
  for (Value operand : op->getOperands())
    largest = std::max(largest, elementsOf(operand));
  return {0, largest};
}

Work npu::workOf(Operation *op) {
  auto fused = dyn_cast<FusedOp>(op);
  if (!fused) {
    auto kernel = dyn_cast<KernelOpInterface>(op);
    return kernel ? kernelWork(kernel) : Work();
  }
  Work total;
  for (Operation &inner : fused.getBody().front().without_terminator()) {
    Work part = workOf(&inner);
    total.macs += part.macs;
    total.elements += part.elements;
  }
  return total;
}

bool npu::isDepthwise(Operation *op) {
  if (auto fused = dyn_cast<FusedOp>(op))
    op = fused.getRoot();
  auto kernel = dyn_cast_or_null<KernelOpInterface>(op);
  npu_attrs attributes = {};
  return kernel && kernel.getKernel(attributes) == NPU_OP_CONV &&
         attributes.conv.groups > 1 &&
         attributes.conv.groups == tensorType(op->getOperand(0)).getShape()[1];
}
