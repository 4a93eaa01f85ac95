// SPDX-License-Identifier: Apache-2.0
//
// KernelOpInterface: each op's kind of kernel and its attributes.
#include "compiler/Dialect/NPU/NPUDialect.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace npu;

// The numbers of NPUEnums.td are those of program_format.h.
static_assert(static_cast<int>(PadMode::Wrap) == NPU_PAD_WRAP &&
              static_cast<int>(ReduceKind::SumSquare) ==
                  NPU_REDUCE_SUM_SQUARE &&
              static_cast<int>(CumulateKind::Prod) == NPU_CUMULATE_PROD &&
              static_cast<int>(ScatterReduction::Min) == NPU_SCATTER_MIN &&
              static_cast<int>(ResizeMode::Cubic) == NPU_RESIZE_CUBIC &&
              static_cast<int>(ResizeCoordinates::HalfPixelSymmetric) ==
                  NPU_RESIZE_HALF_PIXEL_SYMMETRIC &&
              static_cast<int>(ResizeNearest::Ceil) == NPU_NEAREST_CEIL);

/// Copies integers into a fixed array of program_format.h, zeros behind.
static void copyInts(int64_t *target, ArrayRef<int64_t> ints) {
  std::copy(ints.begin(), ints.end(), target);
}

static void copyInts(int64_t *target, ArrayAttr array) {
  copyInts(target, toInts(array));
}

/// Splits `pads` (beginnings, then ends) into two arrays.
static void fillPads(int64_t *begin, int64_t *end, ArrayAttr pads) {
  SmallVector<int64_t> ints = toInts(pads);
  size_t half = ints.size() / 2;
  copyInts(begin, ArrayRef(ints).take_front(half));
  copyInts(end, ArrayRef(ints).drop_front(half));
}

/// What convolutions and their gradients share.
template <typename ConvLike>
static void fillConvWindow(ConvLike op, npu_conv_attrs &conv) {
  copyInts(conv.strides, op.getStrides());
  copyInts(conv.dilations, op.getDilations());
  fillPads(conv.pads_begin, conv.pads_end, op.getPads());
  conv.groups = op.getGroups();
}

template <typename ConvLike>
static void fillConv(ConvLike op, npu_conv_attrs &conv) {
  fillConvWindow(op, conv);
  conv.has_bias = op.getBias() ? 1 : 0;
  conv.data_zero_point = static_cast<int64_t>(op.getDataZeroPoint());
}

template <typename Pool>
static void fillPool(Pool op, npu_pool_attrs &pool) {
  copyInts(pool.kernel, op.getKernel());
  copyInts(pool.strides, op.getStrides());
  copyInts(pool.dilations, op.getDilations());
  fillPads(pool.pads_begin, pool.pads_end, op.getPads());
}

#define NPU_CONV_KERNEL(OP, KIND)                                              \
  npu_op OP::getKernel(npu_attrs &attributes) {                                \
    fillConv(*this, attributes.conv);                                          \
    return KIND;                                                               \
  }
NPU_CONV_KERNEL(Conv1dOp, NPU_OP_CONV)
NPU_CONV_KERNEL(Conv2dOp, NPU_OP_CONV)
NPU_CONV_KERNEL(Conv3dOp, NPU_OP_CONV)
NPU_CONV_KERNEL(ConvTranspose1dOp, NPU_OP_CONV_TRANSPOSE)
NPU_CONV_KERNEL(ConvTranspose2dOp, NPU_OP_CONV_TRANSPOSE)
NPU_CONV_KERNEL(ConvTranspose3dOp, NPU_OP_CONV_TRANSPOSE)
#undef NPU_CONV_KERNEL

npu_op Conv2dWinogradOp::getKernel(npu_attrs &attributes) {
  npu_winograd_attrs &winograd = attributes.winograd;
  winograd.tile = getTile();
  fillPads(winograd.pads_begin, winograd.pads_end, getPads());
  winograd.has_bias = getBias() ? 1 : 0;
  return NPU_OP_CONV_WINOGRAD;
}

npu_op WinogradWeightOp::getKernel(npu_attrs &attributes) {
  attributes.winograd.tile = getTile();
  return NPU_OP_WINOGRAD_WEIGHT;
}

npu_op MaxPoolOp::getKernel(npu_attrs &attributes) {
  fillPool(*this, attributes.pool);
  attributes.pool.keep_nan = getKeepNan();
  return NPU_OP_MAX_POOL;
}

npu_op AvgPoolOp::getKernel(npu_attrs &attributes) {
  fillPool(*this, attributes.pool);
  attributes.pool.count_include_pad = getCountIncludePad();
  return NPU_OP_AVG_POOL;
}

npu_op MaxPoolIndicesOp::getKernel(npu_attrs &attributes) {
  fillPool(*this, attributes.pool);
  attributes.pool.column_major = getColumnMajor();
  return NPU_OP_MAX_POOL_INDICES;
}

npu_op GatherElementsOp::getKernel(npu_attrs &attributes) {
  attributes.index.axis = getAxis();
  return NPU_OP_GATHER_ELEMENTS;
}

npu_op GatherNdOp::getKernel(npu_attrs &attributes) {
  attributes.index.batch_dims = getBatchDims();
  return NPU_OP_GATHER_ND;
}

npu_op ScatterElementsOp::getKernel(npu_attrs &attributes) {
  attributes.index.axis = getAxis();
  attributes.index.reduction = static_cast<int>(getReduction());
  return NPU_OP_SCATTER_ELEMENTS;
}

npu_op ScatterNdOp::getKernel(npu_attrs &attributes) {
  attributes.index.reduction = static_cast<int>(getReduction());
  return NPU_OP_SCATTER_ND;
}

npu_op TopKOp::getKernel(npu_attrs &attributes) {
  attributes.top_k.axis = getAxis();
  attributes.top_k.largest = getLargest();
  return NPU_OP_TOP_K;
}

npu_op CumulateOp::getKernel(npu_attrs &attributes) {
  attributes.cumulate.axis = getAxis();
  attributes.cumulate.kind = static_cast<int>(getKind());
  attributes.cumulate.exclusive = getExclusive();
  attributes.cumulate.reverse = getReverse();
  return NPU_OP_CUMULATE;
}

npu_op MatmulOp::getKernel(npu_attrs &attributes) {
  npu_matmul_attrs &matmul = attributes.matmul;
  matmul.bits = getBits();
  matmul.block = getBlock();
  matmul.zero_point = static_cast<int64_t>(getZeroPoint());
  matmul.has_zero_points = getParameters().size() > 1 ? 1 : 0;
  matmul.quantize = getQuantize();
  return NPU_OP_MATMUL;
}

npu_op AttentionOp::getKernel(npu_attrs &attributes) {
  npu_attention_attrs &attention = attributes.attention;
  attention.scale = getScale().convertToDouble();
  attention.fill = getFill().convertToDouble();
  attention.has_mask = getMask() ? 1 : 0;
  attention.causal = getCausal();
  return NPU_OP_ATTENTION;
}

npu_op ConcatOp::getKernel(npu_attrs &attributes) {
  attributes.axis.axis = getAxis();
  return NPU_OP_CONCAT;
}

npu_op PadOp::getKernel(npu_attrs &attributes) {
  fillPads(attributes.pad.begin, attributes.pad.end, getPads());
  attributes.pad.mode = static_cast<int>(getMode());
  attributes.pad.value = getValue().convertToDouble();
  return NPU_OP_PAD;
}

npu_op SliceOp::getKernel(npu_attrs &attributes) {
  copyInts(attributes.slice.starts, getStarts());
  copyInts(attributes.slice.steps, getSteps());
  return NPU_OP_SLICE;
}

npu_op ReduceOp::getKernel(npu_attrs &attributes) {
  attributes.reduce.kind = static_cast<int>(getKind());
  for (int64_t axis : toInts(getAxes()))
    attributes.reduce.axes_mask |= int64_t(1) << axis;
  attributes.reduce.keep_dims = getKeepDims();
  return NPU_OP_REDUCE;
}

npu_op SoftmaxOp::getKernel(npu_attrs &attributes) {
  attributes.axis.axis = getAxis();
  attributes.axis.is_log = getIsLog();
  return NPU_OP_SOFTMAX;
}

npu_op ResizeOp::getKernel(npu_attrs &attributes) {
  npu_resize_attrs &resize = attributes.resize;
  resize.mode = static_cast<int>(getMode());
  resize.coordinates = static_cast<int>(getCoordinates());
  resize.nearest = static_cast<int>(getNearest());
  for (auto [index, scale] : llvm::enumerate(getScales().getValue()))
    resize.scales[index] = cast<mlir::FloatAttr>(scale).getValueAsDouble();
  resize.cubic_a = getCubicA().convertToDouble();
  resize.exclude_outside = getExcludeOutside();
  return NPU_OP_RESIZE;
}

npu_op GatherOp::getKernel(npu_attrs &attributes) {
  attributes.axis.axis = getAxis();
  return NPU_OP_GATHER;
}

npu_op BroadcastOp::getKernel(npu_attrs &) { return NPU_OP_BROADCAST; }

npu_op RelayoutOp::getKernel(npu_attrs &) { return NPU_OP_RELAYOUT; }

npu_op TransposeOp::getKernel(npu_attrs &attributes) {
  copyInts(attributes.transpose.permutation, getPermutation());
  return NPU_OP_TRANSPOSE;
}

npu_op ReshapeOp::getKernel(npu_attrs &) { return NPU_OP_RESHAPE; }

npu_op EltwiseOp::getKernel(npu_attrs &) { return NPU_OP_ELTWISE; }

// The chip's own.

npu_op ConvBpaOp::getKernel(npu_attrs &attributes) {
  fillConvWindow(*this, attributes.conv);
  attributes.conv.weight_of_conv = 1;
  return NPU_OP_CONV_TRANSPOSE;
}

npu_op ConvBpwOp::getKernel(npu_attrs &attributes) {
  fillConvWindow(*this, attributes.conv);
  return NPU_OP_CONV_BPW;
}

npu_op Img2colOp::getKernel(npu_attrs &attributes) {
  fillPool(*this, attributes.pool);
  return NPU_OP_IMG2COL;
}

npu_op UnpoolOp::getKernel(npu_attrs &attributes) {
  if (getMode() == UnpoolMode::Zero) {
    copyInts(attributes.pool.kernel, getKernel());
    return NPU_OP_UNPOOL;
  }
  npu_resize_attrs &resize = attributes.resize;
  resize.mode = NPU_RESIZE_NEAREST;
  resize.coordinates = NPU_RESIZE_ASYMMETRIC;
  resize.nearest = NPU_NEAREST_FLOOR;
  resize.scales[0] = resize.scales[1] = 1;
  for (auto [index, factor] : llvm::enumerate(toInts(getKernel())))
    resize.scales[index + 2] = static_cast<double>(factor);
  return NPU_OP_RESIZE;
}

npu_op MaskunpoolOp::getKernel(npu_attrs &) { return NPU_OP_MASKUNPOOL; }

npu_op MirrorOp::getKernel(npu_attrs &attributes) {
  ArrayRef<int64_t> shape = tensorType(getInput()).getShape();
  std::fill_n(attributes.slice.steps, shape.size(), 1);
  for (int64_t axis : toInts(getAxes())) {
    attributes.slice.starts[axis] = std::max<int64_t>(shape[axis] - 1, 0);
    attributes.slice.steps[axis] = -1;
  }
  return NPU_OP_SLICE;
}

npu_op RotateOp::getKernel(npu_attrs &attributes) {
  copyInts(attributes.rotate.axes, getAxes());
  attributes.rotate.turns = getTurns();
  return NPU_OP_ROTATE;
}

npu_op TensornormOp::getKernel(npu_attrs &attributes) {
  npu_norm_attrs &norm = attributes.norm;
  for (int64_t axis : toInts(getAxes()))
    norm.axes_mask |= int64_t(1) << axis;
  norm.group_axis = toInts(getAxes()).front();
  norm.groups = getGroups();
  norm.has_bias = getBias() ? 1 : 0;
  norm.centered = getCentered();
  norm.epsilon = getEpsilon().convertToDouble();
  return NPU_OP_TENSORNORM;
}
