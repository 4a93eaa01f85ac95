// SPDX-License-Identifier: Apache-2.0
//
// Verifiers of products with packed weights.
#include "compiler/Dialect/NPU/LayoutUse.h"
#include "compiler/Dialect/NPU/VerifyHelpers.h"

using namespace npu;
using namespace npu::verify;
using shapes::Shape;

bool MatmulOp::isPacked() {
  return getBits() != 0 || getBlock() != 0 || getZeroPoint() != 0 ||
         !getParameters().empty() ||
         (isFloat(getA()) && elementOf(getA()) != elementOf(getB()));
}

/// Scales, then perhaps zero points.
static LogicalResult verifyParameters(MatmulOp op, int64_t depth) {
  auto block = static_cast<int64_t>(op.getBlock());
  size_t count = op.getParameters().size();
  if (count > 2 || (count == 0) != (block == 0)) // matmul_c7
    return op.emitOpError()
           << "has " << count << " parameters for blocks of " << block
           << ", expected scales (and zero points) for "
              "blocks, none without";
  for (Value parameter : op.getParameters()) {
    ArrayRef<int64_t> shape = shapeOf(parameter);
    int64_t rows = (depth + block - 1) / block;
    int64_t columns = shapeOf(op.getB()).back();
    if (shape.size() != 2 || shape[0] != rows ||
        (shape[1] != 1 && shape[1] != columns)) // matmul_c8
      return op.emitOpError() << "parameter of shape " << shapes::text(shape)
                              << ", expected " << shapes::text({rows, columns})
                              << " or " << shapes::text({rows, 1});
  }
  if (count > 0 && !isFloat(op.getParameters()[0])) // matmul_c9
    return op.emitOpError() << "scales are " << elementOf(op.getParameters()[0])
                            << ", expected floats";
  if (count > 1 && !isByte(op.getParameters()[1]) &&
      !elementOf(op.getParameters()[1]).isF32()) // matmul_c10
    return op.emitOpError()
           << "zero points are " << elementOf(op.getParameters()[1])
           << ", expected bytes or f32";
  return success();
}

/// Data that is rounded in groups.
static LogicalResult verifyQuantize(MatmulOp op, int64_t depth) {
  auto group = static_cast<int64_t>(op.getQuantize()),
       block = static_cast<int64_t>(op.getBlock());
  if (group != 0 && isFloat(op.getB())) // matmul_c11
    return op.emitOpError() << "quantizes data for a packed operand of "
                            << elementOf(op.getB()) << ", expected bytes";
  if (group == NPU_QUANTIZE_BY_RANGE) {
    if (!elementOf(op.getB()).isSignlessInteger(8) || block < depth ||
        op.getParameters().size() != 1 || op.getZeroPoint() != 0) // matmul_c14
      return op.emitOpError()
             << "quantizes by its range for " << elementOf(op.getB())
             << " with " << op.getParameters().size()
             << " parameters for blocks of " << block
             << ", expected i8 with scales for " << depth << " rows";
    return success();
  }
  bool isWhole = block == 0 || block >= depth || group >= depth;
  if (group < 0 || (group != 0 && !isWhole && group % block != 0 &&
                    block % group != 0)) // matmul_c13
    return op.emitOpError()
           << "quantizes groups of " << group << " for blocks of " << block
           << ", expected a multiple or a divisor";
  return success();
}

LogicalResult verify::verifyPacked(MatmulOp op) {
  Type a = elementOf(op.getA()), b = elementOf(op.getB());
  if (!a.isF32() || elementOf(op.getResult()) != a ||
      (!isByte(op.getB()) && !isFloat(op.getB())) ||
      shapeOf(op.getB()).size() != 2) // matmul_c4
    return op.emitOpError() << "packed operand of " << b << " and rank "
                            << shapeOf(op.getB()).size() << " for data of " << a
                            << ", expected a matrix of bytes or floats for f32";
  auto bits = static_cast<int64_t>(op.getBits());
  auto zero = static_cast<int64_t>(op.getZeroPoint());
  if ((bits != 0 && bits != 2 && bits != 4) ||
      (bits != 0 && !b.isUnsignedInteger(8)) || zero < -255 || zero > 255 ||
      (zero != 0 && (op.getParameters().size() > 1 || isFloat(op.getB()))) ||
      static_cast<int64_t>(op.getBlock()) < 0) // matmul_c5
    return op.emitOpError()
           << "packed operand of " << b << " with bits " << bits
           << ", zero point " << zero << " and block "
           << static_cast<int64_t>(op.getBlock())
           << ", expected 0, 2 or 4 bits (of ui8), one kind of zero points "
              "within 255, a block of 0 or more";
  Shape shape(shapeOf(op.getA()));
  int64_t depth = shape.back(), together = bits ? 8 / bits : 1;
  shape.back() = shapeOf(op.getB())[1];
  int64_t rows = (depth + together - 1) / together;
  if (shapeOf(op.getB())[0] != rows ||
      ArrayRef<int64_t>(shape) != shapeOf(op.getResult())) // matmul_c6
    return op.emitOpError()
           << "packed operand of shape " << shapes::text(shapeOf(op.getB()))
           << " and result of shape " << shapes::text(shapeOf(op.getResult()))
           << ", expected " << rows << " rows and " << shapes::text(shape);
  if (failed(verifyParameters(op, depth)))
    return failure();
  return failed(verifyQuantize(op, depth)) ? failure() : verifyLayouts(op);
}
