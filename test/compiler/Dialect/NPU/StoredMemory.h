// SPDX-License-Identifier: Apache-2.0
//
// What layouts do to memory, by enumeration of all elements: nothing is taken
// from the code that is tested but the layout itself.
#ifndef NPU_TEST_COMPILER_DIALECT_NPU_STOREDMEMORY_H
#define NPU_TEST_COMPILER_DIALECT_NPU_STOREDMEMORY_H

#include "test/compiler/Dialect/NPU/StoredOrders.h"

namespace npu::test {

inline int64_t product(const Shape &shape) {
  int64_t result = 1;
  for (int64_t extent : shape)
    result *= extent;
  return result;
}

/// Where each element lies, in row-major order, and behind them how many are
/// stored.
inline std::vector<int64_t> memoryOf(const StoredOrder &layout,
                                     const Shape &shape) {
  size_t rank = shape.size();
  Shape block(rank, 1);
  for (const LayoutBlock &b : layout.blocks)
    block[b.dim] *= b.size;
  std::vector<int64_t> offsets;
  int64_t total = 1;
  for (size_t dim = 0; dim < rank; ++dim)
    total *= (shape[dim] + block[dim] - 1) / block[dim] * block[dim];
  Shape index(rank, 0);
  for (int64_t element = 0; element < product(shape); ++element) {
    int64_t rest = element;
    for (size_t dim = rank; dim-- > 0; rest /= shape[dim])
      index[dim] = rest % shape[dim];
    int64_t offset = 0;
    for (int64_t dim : layout.order)
      offset = offset * ((shape[dim] + block[dim] - 1) / block[dim]) +
               index[dim] / block[dim];
    Shape inner = block;
    for (const LayoutBlock &b : layout.blocks) {
      inner[b.dim] /= b.size;
      offset = offset * b.size + index[b.dim] / inner[b.dim] % b.size;
    }
    offsets.push_back(offset);
  }
  offsets.push_back(total);
  return offsets;
}

/// Every shape of at most `most` elements and four dimensions.
inline std::vector<Shape> allShapes(int64_t most) {
  std::vector<Shape> shapes = {{}}, longer = {{}};
  for (int rank = 1; rank <= 4; ++rank) {
    std::vector<Shape> next;
    for (const Shape &shape : longer)
      for (int64_t extent = 1; extent * product(shape) <= most; ++extent) {
        next.push_back(shape);
        next.back().push_back(extent);
      }
    longer = next;
    shapes.insert(shapes.end(), next.begin(), next.end());
  }
  return shapes;
}

} // namespace npu::test

#endif // NPU_TEST_COMPILER_DIALECT_NPU_STOREDMEMORY_H
