// SPDX-License-Identifier: Apache-2.0
//
// Where the elements of operands lie while a kernel walks over an index space.
// In every layout the offset of an element is a sum of one term per dimension;
// so an operand is one DimMap per dimension, and slices, pads, broadcasts and
// permutations are just other maps.
#ifndef NPU_KERNELS_SUPPORT_ACCESS_H
#define NPU_KERNELS_SUPPORT_ACCESS_H

#include "kernels/tensor.h"

#include <vector>

namespace npu::kernels {

/// Offset contributed by index i of one dimension: i * stride, or table[i]
/// where the dimension is blocked or irregular.
struct DimMap {
  int64_t stride = 0;
  std::vector<int64_t> table;

  bool isLinear() const { return table.empty(); }
  int64_t at(int64_t i) const { return table.empty() ? i * stride : table[i]; }
};

/// The map of logical dimension `dim` of a stored tensor; `extent` may reach
/// into the block padding.
DimMap dimMap(const npu_tensor_desc &tensor, int dim, int64_t extent);

/// The maps of all dimensions.
std::vector<DimMap> dimMaps(const npu_tensor_desc &tensor);

/// Each of some offsets with every `step`-th of `count` of one more dimension,
/// which comes innermost.
std::vector<int64_t> withDim(const std::vector<int64_t> &offsets,
                             const DimMap &map, int64_t count,
                             int64_t step = 1);

/// Maps of `tensor` broadcast to `target`, aligned at the right.
std::vector<DimMap> broadcastMaps(const npu_tensor_desc &tensor,
                                  const npu_tensor_desc &target);

/// An index space of several loops (outermost first) and the operands in it.
class Walk {
public:
  explicit Walk(std::vector<int64_t> loops);

  /// Adds an operand with one map per loop; returns its number.
  int add(std::vector<DimMap> maps);

  /// Merges neighbouring loops that every operand walks in one stride.
  void coalesce();

  int64_t size() const { return count; }

  /// How the elements of a run lie: one after the other, all the same one, or
  /// at listed offsets.
  enum class Run { Contiguous, Constant, Listed };

  /// Offsets of `n` elements of `operand` from linear position `start`. Listed
  /// fills `out[0..n)`, the other kinds only `out[0]`.
  Run offsets(int operand, int64_t start, int n, int64_t *out) const;

  /// The same with `out[0..n)` filled whatever they are.
  Run list(int operand, int64_t start, int n, int64_t *out) const;

private:
  std::vector<int64_t> extents;
  std::vector<std::vector<DimMap>> operands;
  int64_t count = 1;
};

/// The walk over the logical elements of `tensor` in memory order of its outer
/// dimensions; maps given per logical dimension go through `inOrder`.
Walk walkOf(const npu_tensor_desc &tensor);
std::vector<DimMap> inOrder(const npu_tensor_desc &tensor,
                            std::vector<DimMap> maps);

} // namespace npu::kernels

#endif // NPU_KERNELS_SUPPORT_ACCESS_H
