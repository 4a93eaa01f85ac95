// SPDX-License-Identifier: Apache-2.0
//
// Checks that the verifiers of several families share.
#ifndef NPU_COMPILER_DIALECT_NPU_VERIFYHELPERS_H
#define NPU_COMPILER_DIALECT_NPU_VERIFYHELPERS_H

#include "compiler/Dialect/NPU/NPUDialect.h"
#include "compiler/Dialect/NPU/ShapeInference.h"

namespace npu::verify {

inline ArrayRef<int64_t> shapeOf(Value value) {
  return tensorType(value).getShape();
}

inline Type elementOf(Value value) {
  return tensorType(value).getElementType();
}

inline bool isFloat(Value value) {
  return isa<mlir::FloatType>(elementOf(value));
}

inline bool isByte(Value value) {
  return isa<mlir::IntegerType>(elementOf(value)) &&
         elementOf(value).getIntOrFloatBitWidth() == 8;
}

/// All operands have this element type.
inline LogicalResult verifyOneType(Operation *op, const char *what, Type type) {
  for (Value operand : op->getOperands())
    if (elementOf(operand) != type)
      return op->emitOpError()
             << what << ": element types " << elementOf(operand) << " and "
             << type << " differ";
  return success();
}

/// All operands and the result have one element type.
inline LogicalResult verifyOneType(Operation *op, const char *what) {
  return verifyOneType(op, what, elementOf(op->getResult(0)));
}

/// A product of f32 data with a packed matrix.
LogicalResult verifyPacked(MatmulOp op);

/// The inferred shape exists and is the result's.
inline LogicalResult verifyShape(Operation *op,
                                 const FailureOr<shapes::Shape> &want,
                                 const std::string &error) {
  if (failed(want))
    return op->emitOpError() << error;
  ArrayRef<int64_t> have = shapeOf(op->getResult(0));
  if (have != ArrayRef<int64_t>(*want))
    return op->emitOpError() << "result shape is " << shapes::text(have)
                             << ", expected " << shapes::text(*want);
  return success();
}

inline LogicalResult verifyAxis(Operation *op, int64_t axis, int64_t rank) {
  if (axis >= 0 && axis < rank)
    return success();
  return op->emitOpError() << "axis " << axis << " is not a dimension of rank "
                           << rank;
}

constexpr int64_t anyInt = std::numeric_limits<int64_t>::min();
/// Windows beyond this are nonsense and would overflow sums of extents.
constexpr int64_t maxInt = int64_t(1) << 31;

/// `count` integers, each at least `least` and, unless any will do, at most
/// `maxInt`; a name for messages.
inline LogicalResult verifyInts(Operation *op, const char *name,
                                ArrayAttr array, size_t count, int64_t least) {
  SmallVector<int64_t> ints = toInts(array);
  if (ints.size() != count)
    return op->emitOpError()
           << name << " has " << ints.size() << " entries, expected " << count;
  for (int64_t value : ints)
    if (value < least || (least != anyInt && value > maxInt))
      return op->emitOpError() << name << " must be at least " << least
                               << " and at most 2^31, found " << value;
  return success();
}

} // namespace npu::verify

#endif // NPU_COMPILER_DIALECT_NPU_VERIFYHELPERS_H
