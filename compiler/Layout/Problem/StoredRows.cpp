// SPDX-License-Identifier: Apache-2.0
#include "compiler/Layout/Problem/StoredRows.h"

#include "compiler/Layout/Problem/Storage.h"

using namespace npu;

/// How often a dimension is stored outside of its blocks.
static int64_t outerExtent(RankedTensorType type, LayoutAttr layout,
                           int64_t dim) {
  int64_t extent = type.getDimSize(dim);
  for (LayoutBlock block : layout.getBlocks())
    if (block.dim == dim)
      extent = (extent + block.size - 1) / block.size;
  return extent;
}

/// Bytes of what the outer dimensions repeat: an element, or a block of them.
static double innerBytes(RankedTensorType type, LayoutAttr layout) {
  double bytes = static_cast<double>(bytesOfElement(type));
  for (LayoutBlock block : layout.getBlocks())
    bytes *= static_cast<double>(block.size);
  return bytes;
}

int64_t npu::innermostDim(RankedTensorType type, LayoutAttr layout) {
  for (const LayoutBlock &block : llvm::reverse(layout.getBlocks()))
    if (type.getShape()[block.dim] != 1)
      return block.dim;
  for (int64_t dim : llvm::reverse(layout.getOrder()))
    if (type.getShape()[dim] != 1)
      return dim;
  return 0;
}

double npu::rowBytesOf(RankedTensorType type, LayoutAttr layout) {
  int64_t inner = 1;
  for (int64_t dim : llvm::reverse(layout.getOrder())) {
    inner = outerExtent(type, layout, dim);
    if (inner != 1)
      break;
  }
  return innerBytes(type, layout) *
         static_cast<double>(std::max<int64_t>(1, inner));
}

double npu::bytesWithin(RankedTensorType type, LayoutAttr layout, int64_t dim) {
  double bytes = innerBytes(type, layout);
  for (int64_t other : llvm::reverse(layout.getOrder())) {
    bytes *= static_cast<double>(outerExtent(type, layout, other));
    if (other == dim)
      break;
  }
  return bytes;
}

int64_t npu::storedExtent(RankedTensorType type, LayoutAttr layout,
                          int64_t dim) {
  if (!layout)
    return type.getDimSize(dim);
  int64_t extent = outerExtent(type, layout, dim);
  for (LayoutBlock block : layout.getBlocks())
    extent *= block.dim == dim ? block.size : 1;
  return extent;
}

SmallVector<int64_t> npu::storedDims(RankedTensorType type, LayoutAttr layout) {
  SmallVector<int64_t> dims;
  for (LayoutBlock block : llvm::reverse(layout.getBlocks()))
    if (type.getDimSize(block.dim) > 1)
      dims.push_back(block.dim);
  for (int64_t dim : llvm::reverse(layout.getOrder()))
    if (outerExtent(type, layout, dim) > 1)
      dims.push_back(dim);
  return dims;
}

double npu::rowsCutAlong(RankedTensorType type, LayoutAttr layout,
                         StringRef dims, char sign) {
  SmallVector<int64_t> cut;
  for (auto [dim, letter] : llvm::enumerate(dims))
    if (letter == sign && type.getDimSize(dim) > 1)
      cut.push_back(static_cast<int64_t>(dim));
  if (cut.empty())
    return 0;
  ArrayRef<int64_t> order = layout.getOrder();
  const auto *place = llvm::find(order, cut.back());
  double bytes = bytesWithin(type, layout, cut.back());
  for (int64_t dim : ArrayRef(cut).drop_back())
    if (llvm::find(order, dim) < place)
      bytes *= static_cast<double>(type.getDimSize(dim));
  return bytes;
}
