// SPDX-License-Identifier: Apache-2.0
//
// What the rewrites of this folder share: reading constants, making ops whose
// result type follows from the operands, and running a set of patterns.
#ifndef NPU_COMPILER_FUSION_REWRITES_H
#define NPU_COMPILER_FUSION_REWRITES_H

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/NPUDialect.h"

#include "mlir/IR/PatternMatch.h"

#include <optional>
#include <vector>

namespace npu::rewrites {

/// Applies the patterns to everything under `root` until none matches, and
/// frees the bytes of constants that are gone.
LogicalResult apply(Operation *root, mlir::RewritePatternSet &&patterns);

inline bool isKind(EltwiseOp op, npu_instr_kind kind) {
  return op && static_cast<int64_t>(op.getKind()) == kind;
}

/// Whether it is npu.eltwise, or an op that several of it stand for.
inline bool isElementwise(Operation *op) {
  return llvm::isa_and_nonnull<EltwiseOp, StepsOpInterface>(op);
}

/// The elementwise op of this kind that defines `value`, or null.
EltwiseOp definedBy(Value value, npu_instr_kind kind);

inline ArrayRef<int64_t> shapeOf(Value value) {
  return tensorType(value).getShape();
}

inline bool isF32(Value value) {
  return tensorType(value).getElementType().isF32();
}

/// The one number that an f32 constant holds in every element.
std::optional<float> scalarOf(Value value);

/// The one integer of a constant.
std::optional<int64_t> integerOf(Value value);
/// The one zero point; 0 where it is left out.
inline std::optional<int64_t> zeroPointOf(Value zeroPoint) {
  return zeroPoint ? integerOf(zeroPoint) : 0;
}

/// Whether steps with this number may be done in another order: neither
/// overflow nor underflow comes of it, and a sum does not hide the last bits of
/// what is smaller than the offset.
bool isModestScale(float scale);
bool isModestOffset(float offset);
/// Whether products by this weight, however small, do not overflow.
bool isModestWeight(float weight);

/// An npu.constant of f32.
Value makeFloats(OpBuilder &builder, Location location, ArrayRef<int64_t> shape,
                 ArrayRef<float> elements);

/// npu.eltwise with the operands' broadcast shape, of the first operand's type;
/// computed at once where all operands are constant.
FailureOr<Value> makeEltwise(OpBuilder &builder, Location location,
                             npu_instr_kind kind, ValueRange inputs,
                             float alpha = 0, float beta = 0);

/// The numbers in another element type; those that have it stay.
Value makeCast(OpBuilder &builder, Location location, Value value,
               Type element);

/// The same elements in another shape, computed at once if constant.
FailureOr<Value> makeReshape(OpBuilder &builder, Location location, Value input,
                             ArrayRef<int64_t> shape);

/// npu.transpose, computed at once if constant; `input` itself if nothing
/// moves.
FailureOr<Value> makeTranspose(OpBuilder &builder, Location location,
                               Value input, ArrayRef<int64_t> permutation);

/// Windows of an image, as convolutions have them.
struct Windows {
  SmallVector<int64_t> extents, strides, pads, dilations;
};

/// The sums of windows of an image of bytes, in i32: a convolution of each
/// channel with ones, whose kernel scales and stores them as bytes. `zero` is
/// subtracted from each; padding adds nothing.
FailureOr<Value> sumWindows(OpBuilder &builder, Location location, Value bytes,
                            const Windows &windows, int64_t zero);

/// Some elements of one dimension: of each of so many equal stretches of it
/// those from `begin` on.
struct Part {
  int64_t dim, begin, extent, stretches = 1;

  /// Of the dimension that has the part alone.
  int64_t size() const { return extent * stretches; }
};

/// The part of a tensor, computed at once if constant; `input` itself if that
/// is all of it.
FailureOr<Value> makePart(OpBuilder &builder, Location location, Value input,
                          const Part &part);

/// npu.concat of tensors, computed at once if all are constant; of one tensor
/// this itself.
FailureOr<Value> makeConcat(OpBuilder &builder, Location location,
                            ValueRange inputs, size_t axis);

/// The same op with other operands and result type, attributes kept.
Operation *cloneWith(OpBuilder &builder, Location location, Operation *op,
                     ValueRange operands, Type result);

/// The same, computed at once if all operands are constant.
FailureOr<Value> cloneFolded(OpBuilder &builder, Location location,
                             Operation *op, ValueRange operands, Type result);

/// One location that names all ops.
Location fuseLocations(ArrayRef<Operation *> ops);

SmallVector<int64_t> inversePermutation(ArrayRef<int64_t> permutation);
bool isIdentity(ArrayRef<int64_t> permutation);
/// Dimensions of more than one element.
SmallVector<size_t> longDims(ArrayRef<int64_t> shape);

/// The parts that two shapes of equally many elements have in common: of each
/// dimension of either their numbers, outermost first. Parts of one element are
/// none.
struct CommonParts {
  SmallVector<int64_t> extents;
  SmallVector<SmallVector<int64_t, 4>> ofFirst, ofSecond;

  /// Nothing where a dimension ends within a part of another.
  static std::optional<CommonParts> find(ArrayRef<int64_t> first,
                                         ArrayRef<int64_t> second);
};

// Patterns with a file of their own.
void addViewPatterns(mlir::RewritePatternSet &patterns);
void addBoxPatterns(mlir::RewritePatternSet &patterns);
void addRotaryPatterns(mlir::RewritePatternSet &patterns);
void addBroadcastPatterns(mlir::RewritePatternSet &patterns);
void addExactSumPatterns(mlir::RewritePatternSet &patterns);
void addGroupNormPatterns(mlir::RewritePatternSet &patterns);
void addScalePatterns(mlir::RewritePatternSet &patterns);
void addWindowSlicePatterns(mlir::RewritePatternSet &patterns);

} // namespace npu::rewrites

#endif // NPU_COMPILER_FUSION_REWRITES_H
