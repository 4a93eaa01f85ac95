// SPDX-License-Identifier: Apache-2.0
//
// Which dimension of each value is batch, channel, height, ...: told by the ops
// that know (convolution, pooling) and carried to their neighbours.
#ifndef NPU_COMPILER_LAYOUT_IMAGEAXES_H
#define NPU_COMPILER_LAYOUT_IMAGEAXES_H

#include "compiler/Dialect/NPU/NPUDialect.h"

#include "llvm/ADT/DenseMap.h"

namespace npu {

/// Computed once per function; does not change when layouts do, only when ops
/// do.
class ImageAxesAnalysis {
public:
  explicit ImageAxesAnalysis(mlir::func::FuncOp function);

  /// One role for each logical dimension, or empty where nothing tells. An op's
  /// own answer (a weight's O and I) comes first.
  ImageAxes of(Value value) const;

  /// What is known of each dimension, for values of any rank (a bias, a mask);
  /// empty where some dimension is not known.
  ImageAxes rolesOf(Value value) const;

private:
  /// Roles found so far; 0 where none.
  using Partial = SmallVector<char, 6>;

  void seed(Operation *op);
  void propagate(Operation *op);
  bool assign(Value value, size_t dim, char role);
  ImageAxes complete(Value value, const Partial &roles) const;

  llvm::DenseMap<Value, Partial> found;
  SmallVector<Value> changed;
};

/// "NHWC", "NCHW16c", "HWOI" where the axes are known, else the letters.
std::string layoutName(LayoutAttr layout, const ImageAxes &axes);

/// Channels last: batch, spatial, channel; nothing for other values.
std::optional<SmallVector<int64_t>> channelsLastOrder(const ImageAxes &axes);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_IMAGEAXES_H
