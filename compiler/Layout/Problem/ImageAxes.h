// SPDX-License-Identifier: Apache-2.0
//
// Which dimension of each value is batch, channel, height, ...: told by the ops
// that know (convolution, pooling) and carried to their neighbours.
#ifndef NPU_COMPILER_LAYOUT_PROBLEM_IMAGEAXES_H
#define NPU_COMPILER_LAYOUT_PROBLEM_IMAGEAXES_H

#include "compiler/Dialect/NPU/NPUDialect.h"

#include "llvm/ADT/DenseMap.h"

#include <set>

namespace npu {

/// On an argument or a result of a function: its image axes in logical order,
/// "NCHW", where the boundary knows them and no op does.
constexpr StringRef axesAttr = "npu.axes";

/// The roles as text: "NCHW".
std::string axesText(const ImageAxes &axes);

/// Whether the text is the axes of an image or weight of rank 3 to 5, in some
/// order.
bool areImageAxes(StringRef text);

/// Computed once per function; does not change when layouts do, nor when
/// relayouts come and go, only when other ops do.
class ImageAxesAnalysis {
public:
  explicit ImageAxesAnalysis(mlir::func::FuncOp function);

  /// One role for each logical dimension, or empty where nothing tells. An op's
  /// own answer (a weight's O and I) comes first.
  ImageAxes of(Value value) const;
  /// The same of what an op reads. A constant that several ops read may be
  /// something else to each (and becomes several constants where they want it
  /// in several orders).
  ImageAxes of(OpOperand &operand) const;

  /// What the op that reads a value (or gives it) takes its dimensions for:
  /// that is what demands on the op speak of. An op without a channel of its
  /// own sees one image in all of its values, also where they are different
  /// things to others: docs/layout.md has the rule.
  ImageAxes atOp(OpOperand &operand) const;
  ImageAxes atOp(OpResult result) const;

  /// What is known of each dimension, for values of any rank (a bias, a mask);
  /// empty where some dimension is not known.
  ImageAxes rolesOf(Value value) const;

private:
  /// Roles found so far; 0 where none.
  using Partial = SmallVector<char, 6>;

  void seed(Operation *op);
  void seedBoundary(mlir::func::FuncOp function);
  void take(Partial &roles, Value value, StringRef axes);
  void propagate(Operation *op);
  void wake(Value value);
  void wakeReaders(Value value);
  static bool assign(Partial &roles, Value value, size_t dim, char role);
  Partial &slot(OpOperand &operand);
  const Partial *known(Value value) const;
  const Partial *firstReading(Value constant) const;
  ImageAxes finish(Value value, const Partial *roles) const;
  ImageAxes complete(Value value, const Partial &roles) const;
  const Partial *known(OpOperand &operand) const;
  Partial rolesAt(LayoutOpInterface op, const LayoutRelation &relation) const;
  ImageAxes viewed(Value value, const Partial *known,
                   const LayoutRelation::Dims &dims,
                   const Partial &roleOf) const;
  /// The axes of an op's operands, then of its results.
  using OpView = SmallVector<ImageAxes, 4>;
  const OpView &viewOf(LayoutOpInterface op) const;

  /// The ops that tell something, in the block's order.
  SmallVector<Operation *> ops;
  llvm::DenseMap<Operation *, unsigned> numbers;
  std::set<unsigned> waiting;
  /// Of values that are neither constants nor relayouts' results.
  llvm::DenseMap<Value, Partial> found;
  /// Of constants, by who reads them.
  llvm::DenseMap<OpOperand *, Partial> constants;
  /// Of ops that were asked for.
  mutable llvm::DenseMap<Operation *, OpView> views;
};

/// "NHWC", "NCHW16c", "HWOI" where the axes are known, else the letters.
std::string layoutName(LayoutAttr layout, const ImageAxes &axes);

/// Channels last: batch, spatial, channel; nothing for other values.
std::optional<SmallVector<int64_t>> channelsLastOrder(const ImageAxes &axes);
/// Channels first: batch, channel, spatial.
std::optional<SmallVector<int64_t>> channelsFirstOrder(const ImageAxes &axes);

} // namespace npu

#endif // NPU_COMPILER_LAYOUT_PROBLEM_IMAGEAXES_H
