// SPDX-License-Identifier: Apache-2.0
//
// Matrix products whose weights stay as small as the model stores them.
#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Frontend/ONNX/OnnxOps.h"
#include "compiler/Frontend/ONNX/OnnxQuantize.h"

#include <cmath>

using namespace npu;

/// Fewer numbers are not worth another kernel.
static constexpr int64_t leastNumbers = 1024;

void npu::noteStored(OnnxNode &node, Value real) {
  Value number = node.getInput(0);
  bool isNarrow = isByte(elementOf(number)) || elementOf(number).isF16() ||
                  elementOf(number).isBF16();
  if (real && isNarrow && constantOf(number))
    noteParts(node, real,
              {number, node.scalar(1, node.getBuilder().getF32Type()), {}});
}

static bool isOne(Value scale) {
  std::optional<std::vector<float>> known = floatsOf(scale);
  return known && llvm::all_of(*known, [](float one) { return one == 1; });
}

/// Zero points that were written as whole floats, as integers; null where they
/// are none.
static Value wholeNumbers(OnnxNode &node, Value value) {
  std::optional<std::vector<float>> known = floatsOf(value);
  if (!known || !llvm::all_of(*known, [](float number) {
        return std::fabs(number) <= 255 && number == std::floor(number);
      }))
    return Value();
  return node.cast(value, node.getBuilder().getI32Type());
}

void npu::noteStep(OnnxNode &node, Value real, Value a, Value b) {
  auto kind = static_cast<npu_instr_kind>(node.op.kind);
  if (!real || !constantOf(real))
    return;
  const Dequantized *found = node.getDequantized(a);
  Value other = b;
  if (!found && kind == NPU_INSTR_mul) {
    found = node.getDequantized(b);
    other = a;
  }
  // The factor of one leaves no rounding in between.
  if (!found || found->block != 0 || !isByte(elementOf(found->number)) ||
      !isOne(found->scale) || !floatsOf(other) ||
      shapeOf(real) != shapeOf(found->number))
    return;
  Dequantized parts = *found;
  if (kind == NPU_INSTR_mul)
    parts.scale = other;
  else if (kind == NPU_INSTR_sub && !parts.zeroPoint)
    parts.zeroPoint = wholeNumbers(node, other);
  else
    return;
  if (kind == NPU_INSTR_mul || parts.zeroPoint)
    noteParts(node, real, parts);
}

/// A parameter as a matrix with a row for each block: of one number, one for
/// each column, one for each row or block, or both. Null if it is none of them.
static Value asBlocks(OnnxNode &node, Value parameter, int64_t blocks,
                      int64_t columns) {
  Ints shape(shapeOf(parameter));
  if (shape.size() > 2)
    return Value();
  shape.insert(shape.begin(), 2 - shape.size(), 1);
  if ((shape[0] != 1 && shape[0] != blocks) ||
      (shape[1] != 1 && shape[1] != columns))
    return Value();
  Value matrix = node.reshape(parameter, shape);
  Ints whole{blocks, shape[1]};
  return shape[0] == blocks ? matrix : node.broadcast(matrix, whole);
}

namespace {
/// The bytes of a matrix and what they have in common.
class Numbers {
public:
  explicit Numbers(ElementsAttr elements)
      : bytes(elementBytes(elements, storage)),
        isUnsigned(elements.getElementType().isUnsignedInteger()) {
    for (size_t i = 0; i < bytes.size(); ++i) {
      least = i ? std::min(least, at(i)) : at(i);
      most = i ? std::max(most, at(i)) : at(i);
    }
  }
  int at(size_t index) const {
    return isUnsigned ? int(static_cast<uint8_t>(bytes[index]))
                      : int(static_cast<int8_t>(bytes[index]));
  }
  /// Bits that hold their differences: 2, 4 or 8.
  int64_t bits() const {
    return most - least < 4 ? 2 : most - least < 16 ? 4 : 8;
  }

private:
  std::vector<char> storage;
  ArrayRef<char> bytes;
  bool isUnsigned;

public:
  int least = 0, most = 0;
};
} // namespace

/// Numbers of few bits, less the least of them: those of one column that
/// follow each other share a byte, the first in its lowest bits.
static Value shareBytes(OnnxNode &node, const Numbers &numbers, int64_t depth,
                        int64_t columns) {
  int64_t bits = numbers.bits(), together = 8 / bits;
  int64_t rows = (depth + together - 1) / together;
  std::vector<char> bytes(rows * columns);
  for (int64_t k = 0; k < depth; ++k)
    for (int64_t n = 0; n < columns; ++n) {
      int number = numbers.at(k * columns + n) - numbers.least;
      bytes[k / together * columns + n] |=
          static_cast<char>(number << k % together * bits);
    }
  auto type = RankedTensorType::get(
      {rows, columns}, node.getBuilder().getIntegerType(8, /*isSigned=*/false));
  return node.constant(makeElements(type, std::move(bytes)));
}

/// Zero points as bytes, or as they are where they are floats; null where they
/// fit no byte.
static Value asBytes(OnnxNode &node, Value zeros) {
  ElementsAttr known = zeros ? constantOf(zeros) : ElementsAttr();
  if (!known || isByte(elementOf(zeros)) || elementOf(zeros).isF32())
    return known ? zeros : Value();
  SmallVector<int64_t> all = elementInts(known);
  auto areWithin = [&](int64_t least, int64_t most) {
    return llvm::all_of(
        all, [&](int64_t number) { return number >= least && number <= most; });
  };
  OpBuilder &builder = node.getBuilder();
  if (areWithin(0, 255))
    return node.cast(zeros, builder.getIntegerType(8, /*isSigned=*/false));
  if (areWithin(-128, 127))
    return node.cast(zeros, builder.getIntegerType(8));
  return Value();
}

/// Adds zero points to what few bits are counted from: one for all numbers, or
/// a tensor beside the scales. False where they cannot be stored so.
static bool addZeroPoints(OnnxNode &node, Value zeroPoint, int64_t blocks,
                          int64_t columns, PackedMatrix &matrix) {
  if (!zeroPoint)
    return true;
  OpBuilder &builder = node.getBuilder();
  bool isReal = isa<mlir::FloatType>(elementOf(zeroPoint));
  std::optional<int64_t> whole =
      isReal ? std::nullopt : wholeZeroPoint(zeroPoint);
  if (whole) {
    matrix.zeroPoint += *whole;
    return std::abs(matrix.zeroPoint) <= 255;
  }
  Value zeros = asBlocks(node, zeroPoint, blocks, columns);
  if (!zeros)
    return false;
  Type wide = isReal ? Type(builder.getF32Type()) : builder.getI32Type();
  zeros = node.cast(zeros, wide);
  if (matrix.zeroPoint != 0)
    zeros = node.eltwise(NPU_INSTR_add,
                         {zeros, node.scalar(double(matrix.zeroPoint), wide)});
  matrix.zeroPoint = 0;
  Value stored = asBytes(node, zeros);
  if (stored)
    matrix.parameters.push_back(stored);
  return !!stored;
}

/// A constant's numbers as npu.matmul takes them; no numbers where it does not.
static PackedMatrix packed(OnnxNode &node, const Dequantized &parts) {
  PackedMatrix matrix;
  ElementsAttr known = constantOf(parts.number);
  if (!known || rankOf(parts.number) != 2)
    return matrix;
  int64_t depth = shapeOf(parts.number)[0], columns = shapeOf(parts.number)[1];
  if (isa<mlir::FloatType>(elementOf(parts.number))) {
    if (!elementOf(parts.number).isF32())
      matrix.numbers = parts.number;
    return matrix;
  }
  if (!isByte(elementOf(parts.number)) || !constantOf(parts.scale) ||
      (parts.zeroPoint && !constantOf(parts.zeroPoint)) ||
      (parts.block != 0 && parts.blockAxis != 0))
    return matrix;
  matrix.block = parts.block;
  if (parts.block == 0) {
    bool isPerRow = rankOf(parts.scale) == 2 && shapeOf(parts.scale)[0] > 1;
    matrix.block = isPerRow ? 1 : depth;
  }
  int64_t blocks = (depth + matrix.block - 1) / matrix.block;
  Value scales = asBlocks(node, parts.scale, blocks, columns);
  if (!scales)
    return matrix;
  matrix.parameters.push_back(scales);
  Numbers numbers(known);
  matrix.bits = numbers.bits();
  if (matrix.bits < 8)
    matrix.zeroPoint = -numbers.least;
  if (!addZeroPoints(node, parts.zeroPoint, blocks, columns, matrix))
    return {};
  if (matrix.bits == 8) {
    matrix.bits = 0;
    matrix.numbers = parts.number;
  } else {
    matrix.numbers = shareBytes(node, numbers, depth, columns);
  }
  return matrix;
}

Value npu::multiplyPacked(OnnxNode &node, Value a, const Dequantized &parts) {
  if (!a || !elementOf(a).isF32() || rankOf(a) < 2 ||
      rankOf(parts.number) != 2 ||
      shapeOf(a).back() != shapeOf(parts.number)[0])
    return Value();
  PackedMatrix matrix = packed(node, parts);
  return matrix.numbers ? node.packedMatmul(a, matrix) : Value();
}

Value npu::multiplyPacked(OnnxNode &node, Value a, Value b) {
  const Dequantized *parts = b ? node.getDequantized(b) : nullptr;
  if (!parts || tensorType(b).getNumElements() < leastNumbers)
    return Value();
  Dequantized copy = *parts;
  return multiplyPacked(node, a, copy);
}
