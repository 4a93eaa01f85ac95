// SPDX-License-Identifier: Apache-2.0
//
// Creates npu ops for a node. Each function infers the result's type, checks,
// and computes the op at once if its operands are constants. After an error,
// and for a null operand, it returns null, so that calls nest without checks.
#ifndef NPU_COMPILER_FRONTEND_SUPPORT_EMITTER_H
#define NPU_COMPILER_FRONTEND_SUPPORT_EMITTER_H

#include "compiler/Dialect/NPU/NPUDialect.h"

#include <optional>
#include <string>

namespace npu {

using Ints = SmallVector<int64_t>;

/// The type of a tensor, or an error: negative or overflowing extents, more
/// than NPU_MAX_RANK of them, 2 GB or more.
FailureOr<RankedTensorType> makeTensorType(Location location, const Twine &what,
                                           ArrayRef<int64_t> shape,
                                           Type elementType);

/// The second operand of npu.matmul, where it is packed.
struct PackedMatrix {
  Value numbers;
  SmallVector<Value> parameters; // scales, then zero points
  int64_t bits = 0, block = 0, zeroPoint = 0;
};

class Emitter {
public:
  Emitter(OpBuilder &builder, Location location)
      : builder(builder), location(location) {}

  OpBuilder &getBuilder() { return builder; }
  Location getLocation() const { return location; }

  /// Reports an error at the node, the first one only.
  LogicalResult error(const Twine &message);
  /// The same, where npuc does not do what the model asks for.
  LogicalResult unsupported(const Twine &message);
  Value fail(const Twine &message);
  bool hasFailed() const { return sawError; }

  /// Any op with one result.
  template <typename OpTy, typename... Args>
  Value create(ArrayRef<int64_t> shape, Type element, Args &&...args) {
    FailureOr<RankedTensorType> type = typeOf("the result", shape, element);
    if (failed(type))
      return noteFailure();
    return finish(
        OpTy::create(builder, location, *type, std::forward<Args>(args)...));
  }

  /// The shape that operands broadcast to, or an error.
  FailureOr<Ints> broadcastShape(ArrayRef<Value> operands);

  Value constant(ElementsAttr elements);
  /// A tensor filled with one number, stored as a splat.
  Value filled(double number, ArrayRef<int64_t> shape, Type element);
  Value scalar(double number, Type element) {
    return filled(number, {}, element);
  }
  Value ints(ArrayRef<int64_t> numbers);
  /// A float32 tensor of these numbers, in row-major order.
  Value floats(ArrayRef<double> numbers, ArrayRef<int64_t> shape);
  /// 0, 1, 2, ... along dimension `axis`, such that it broadcasts to data of
  /// rank `rank`.
  Value countAlong(int64_t extent, int64_t axis, int64_t rank, Type element);
  /// The elements whose index in dimension `axis` is `index`; the dimension
  /// goes away.
  Value at(Value value, int64_t axis, int64_t index);

  Value eltwise(npu_instr_kind kind, ArrayRef<Value> operands, double alpha = 0,
                double beta = 0);
  Value cast(Value value, Type element);
  /// The same bits as another type of this width.
  Value bitcast(Value value, Type element);
  Value reshape(Value value, ArrayRef<int64_t> shape);
  /// The same; an extent of -1 takes what the others leave.
  Value reshapeOpen(Value value, ArrayRef<int64_t> shape);
  Value transpose(Value value, ArrayRef<int64_t> permutation);
  Value broadcast(Value value, ArrayRef<int64_t> shape);
  Value reduce(Value value, ReduceKind kind, ArrayRef<int64_t> axes,
               bool keepDims);
  /// Bytes give i32, other types stay what they are.
  Value matmul(Value a, Value b);
  /// A product of f32 rows with a matrix in bytes, see npu.matmul.
  Value packedMatmul(Value a, const PackedMatrix &b);
  Value softmax(Value value, int64_t axis, bool isLog);
  Value concat(ArrayRef<Value> values, int64_t axis);
  /// Result extent i is `extents[i]`.
  Value slice(Value value, ArrayRef<int64_t> starts, ArrayRef<int64_t> steps,
              ArrayRef<int64_t> extents);
  /// One element for each index, see npu.gather_elements.
  Value gatherElements(Value data, Value indices, int64_t axis);
  /// The elements at `indices` along a dimension.
  Value pick(Value value, int64_t dim, ArrayRef<int64_t> indices);
  /// These numbers along dimension `dim` of `rank`, as i32.
  Value vectorAlong(ArrayRef<int32_t> numbers, int64_t dim, int64_t rank);
  /// Along `axis` the first elements in reverse, as many as `counts` says,
  /// which broadcasts to the value; the others stay.
  Value reverseFirst(Value value, Value counts, int64_t axis);
  Value pad(Value value, ArrayRef<int64_t> pads, PadMode mode, double number);

  /// 1 where the elements are NaN.
  Value isNan(Value value);
  /// The value `times` times in a row along `dim`.
  Value repeat(Value value, int64_t dim, int64_t times);
  /// Where the largest (or smallest) element along `axis` lies, as i32, the
  /// dimension kept; the first of equals, or the last. A NaN is the best.
  Value placeOfBest(Value value, int64_t axis, bool isLargest, bool isLast);

  ArrayAttr intArray(ArrayRef<int64_t> numbers) {
    return builder.getI64ArrayAttr(numbers);
  }

  /// After an error that somebody else has reported.
  Value noteFailure() {
    sawError = true;
    return Value();
  }

protected:
  /// makeTensorType, with an error only if it is the node's first.
  FailureOr<RankedTensorType> typeOf(const Twine &what, ArrayRef<int64_t> shape,
                                     Type element);
  Value finish(Operation *op);
  /// What stands for an op of several steps, all operands of which are known.
  Value finishSteps(StepsOpInterface op);
  /// An op that would compute in f64, where not all of it is known.
  Value finishDouble(Operation *op);
  /// An op that orders u64: it orders what differs by 2^63 in i64.
  Value finishU64(Operation *op);
  /// The op on operands of element type `type` instead of `given`.
  Value finishIn(Type type, Operation *op, Type given,
                 function_ref<Value(Value)> there,
                 function_ref<Value(Value)> back);
  /// Takes the op away. What stands for its result has the same type, so that a
  /// builder may ask for shapes until it returns; the import fails.
  Value giveUp(Operation *op);
  /// One operand, a result of another type.
  Value convert(Value value, Type element, npu_instr_kind kind);

  OpBuilder &builder;
  Location location;
  bool sawError = false;
  bool isCounted = false; // among those that compute in f32, see Doubles
};

inline ArrayRef<int64_t> shapeOf(Value value) {
  return tensorType(value).getShape();
}
inline int64_t rankOf(Value value) { return tensorType(value).getRank(); }
inline Type elementOf(Value value) {
  return tensorType(value).getElementType();
}
/// int8 or uint8.
inline bool isByte(Type element) {
  return isa<mlir::IntegerType>(element) &&
         element.getIntOrFloatBitWidth() == 8;
}
/// "f32", for messages.
std::string typeText(Type type);
/// The number of a constant that is one integer.
std::optional<int64_t> constantInt(Value value);
/// first, first + 1, ..., end - 1.
Ints countFrom(int64_t first, int64_t end);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_SUPPORT_EMITTER_H
