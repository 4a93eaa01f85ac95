// SPDX-License-Identifier: Apache-2.0
//
// Whether a view op moves no byte, decided on strides alone.
#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Kernel/KernelProblem.h"
#include "kernels/tensor.h"

using namespace npu;

namespace {

/// A dimension as it lies in memory; of a blocked one `stride` leads from block
/// to block, 0 where there is one.
struct Axis {
  int64_t extent;
  int64_t stride;
  /// Size and stride of each block, outermost first.
  SmallVector<std::pair<int64_t, int64_t>, 1> blocks = {};

  bool operator==(const Axis &other) const {
    return extent == other.extent && stride == other.stride &&
           blocks == other.blocks;
  }
};

} // namespace

/// The dimensions larger than 1, or (`units`) those of 1 that are padded up to
/// a block.
static SmallVector<Axis> axesOf(const npu_tensor_desc &tensor, bool units) {
  kernels::Strides strides = kernels::stridesOf(tensor);
  SmallVector<Axis> axes;
  for (int dim = 0; dim < tensor.rank; ++dim) {
    Axis axis = {tensor.dims[dim], strides.outer[dim]};
    int64_t inBlocks = 1;
    for (int block = 0; block < tensor.block_count; ++block)
      if (tensor.block_dims[block] == dim) {
        axis.blocks.push_back(
            {tensor.block_sizes[block], strides.block[block]});
        inBlocks *= tensor.block_sizes[block];
      }
    if (!axis.blocks.empty() && axis.extent <= inBlocks)
      axis.stride = 0;
    if (units ? axis.extent == 1 && !axis.blocks.empty() : axis.extent != 1)
      axes.push_back(axis);
  }
  return axes;
}

/// Whether the axes are one run in row-major order: (merged) stride of the
/// innermost, or -1.
static int64_t mergedStride(ArrayRef<Axis> axes) {
  for (size_t i = 1; i < axes.size(); ++i)
    if (axes[i - 1].stride != axes[i].stride * axes[i].extent)
      return -1;
  return axes.empty() ? 1 : axes.back().stride;
}

/// Compares two lists of axes over the same elements, innermost first: splits
/// off common factors; where extents have none, what is left of the group must
/// be one run on both sides.
static bool sameGroup(SmallVector<Axis> a, SmallVector<Axis> b) {
  // A blocked dimension passes whole or not at all.
  auto blocked = [](const Axis &axis) { return !axis.blocks.empty(); };
  if (llvm::any_of(a, blocked) || llvm::any_of(b, blocked))
    return a.size() == 1 && a == b;
  while (!a.empty() && !b.empty()) {
    Axis &x = a.back();
    Axis &y = b.back();
    if (x.extent % y.extent != 0 && y.extent % x.extent != 0)
      return mergedStride(a) >= 0 && mergedStride(a) == mergedStride(b);
    if (x.stride != y.stride)
      return false;
    int64_t common = std::min(x.extent, y.extent);
    for (SmallVector<Axis> *list : {&a, &b}) {
      Axis &axis = list->back();
      axis = {axis.extent / common, axis.stride * common, {}};
      if (axis.extent == 1)
        list->pop_back();
    }
  }
  return a.empty() && b.empty();
}

/// Reshape: cuts both shapes where their inner products agree, so that factors
/// that do not divide stay within one group.
static bool isReshapeView(const npu_tensor_desc &from,
                          const npu_tensor_desc &to) {
  if (axesOf(from, /*units=*/true) != axesOf(to, /*units=*/true))
    return false;
  SmallVector<Axis> a = axesOf(from, /*units=*/false);
  SmallVector<Axis> b = axesOf(to, /*units=*/false);
  while (!a.empty() || !b.empty()) {
    SmallVector<Axis> groupA, groupB;
    int64_t productA = 1, productB = 1;
    do {
      bool takeA = productA <= productB && !a.empty();
      SmallVector<Axis> &source = takeA ? a : b;
      if (source.empty())
        return false;
      Axis axis = source.pop_back_val();
      (takeA ? productA : productB) *= axis.extent;
      (takeA ? groupA : groupB).insert((takeA ? groupA : groupB).begin(), axis);
    } while (productA != productB);
    if (!sameGroup(groupA, groupB))
      return false;
  }
  return true;
}

/// Transpose: every result dimension lies where its input dimension does.
static bool isTransposeView(const npu_tensor_desc &from, npu_tensor_desc to,
                            ArrayRef<int64_t> permutation) {
  npu_tensor_desc moved = to;
  for (int i = 0; i < to.rank; ++i) {
    moved.dims[permutation[i]] = to.dims[i];
    moved.order[i] = static_cast<int8_t>(permutation[to.order[i]]);
  }
  for (int i = 0; i < to.block_count; ++i)
    moved.block_dims[i] = static_cast<int8_t>(permutation[to.block_dims[i]]);
  return kernels::sameStorage(from, moved);
}

bool npu::isFreeView(Operation *op) {
  if (!isa<RelayoutOp, TransposeOp, ReshapeOp>(op))
    return false;
  npu_tensor_desc from = describeTensor(tensorType(op->getOperand(0)));
  npu_tensor_desc to = describeTensor(tensorType(op->getResult(0)));
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return isTransposeView(from, to, toInts(transpose.getPermutation()));
  if (isa<ReshapeOp>(op))
    return (from.rank == to.rank && kernels::sameStorage(from, to)) ||
           isReshapeView(from, to);
  return kernels::sameStorage(from, to);
}

Value npu::viewedValue(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isFreeView(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}
