// SPDX-License-Identifier: Apache-2.0
//
// Weights of few bits with a scale for each block of them, as onnxruntime's
// tools pack them.
#include "compiler/Frontend/ONNX/OnnxArithmetic.h"
#include "compiler/Frontend/ONNX/OnnxOps.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/ONNX/OnnxQuantize.h"
#include "kernels/matmul/quantized_rows.h"

using namespace npu;

namespace {
/// What MatMulNBits says of its weights: N rows of K numbers of so many bits,
/// in blocks along K.
struct PackedWeights {
  int64_t rows, depth, bits, blockSize;

  int64_t blocks() const { return (depth + blockSize - 1) / blockSize; }
  int64_t blockBytes() const { return blockSize * bits / 8; }
  /// Zero points of a row, packed without gaps.
  int64_t zeroBytes() const { return (blocks() * bits + 7) / 8; }

  /// Number `index` of numbers packed one behind the other, lowest bits first.
  unsigned unpack(const uint8_t *packed, int64_t index) const {
    int64_t bit = index * bits;
    return packed[bit / 8] >> bit % 8 & ((1u << bits) - 1);
  }
};

/// An input's constant elements as bytes; empty after an error.
struct ConstantBytes {
  std::vector<char> storage;
  ArrayRef<char> bytes;

  bool read(OnnxNode &node, size_t index, const char *what) {
    ElementsAttr known = constantOf(node.getInput(index));
    if (!known) {
      (void)node.unsupported(Twine("takes ") + what +
                             " that depend on the model's data, expected "
                             "constants");
      return false;
    }
    bytes = elementBytes(known, storage);
    return true;
  }
  const uint8_t *unsignedBytes() const {
    return reinterpret_cast<const uint8_t *>(bytes.data());
  }
};
} // namespace

/// An error unless the input has so many elements.
static bool hasCount(OnnxNode &node, size_t index, const char *what,
                     int64_t expected) {
  int64_t found = tensorType(node.getInput(index)).getNumElements();
  if (found == expected)
    return true;
  (void)node.error("found " + Twine(found) + " " + what + ", expected " +
                   Twine(expected));
  return false;
}

/// A parameter of one number for each row and block as a matrix of blocks x
/// rows.
static Value byBlocks(OnnxNode &node, const PackedWeights &w, Value value) {
  return node.transpose(node.reshape(value, {w.rows, w.blocks()}), {1, 0});
}

/// A matrix of so many unsigned bytes in each column, `numberAt(row, column)`.
template <typename NumberAt>
static Value byteMatrix(OnnxNode &node, int64_t rows, int64_t columns,
                        NumberAt numberAt) {
  std::vector<char> bytes(rows * columns);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      bytes[row * columns + column] = static_cast<char>(numberAt(row, column));
  Type byte = node.getBuilder().getIntegerType(8, /*isSigned=*/false);
  return node.constant(makeElements(
      RankedTensorType::get({rows, columns}, byte), std::move(bytes)));
}

/// Zero points, one for each block and row, or one for all; null after an
/// error.
static Value zeroPoints(OnnxNode &node, const PackedWeights &w) {
  if (!node.hasInput(3))
    return node.scalar(double(1 << (w.bits - 1)),
                       node.getBuilder().getIntegerType(8, /*isSigned=*/false));
  Value given = node.getInput(3);
  if (isa<mlir::FloatType>(elementOf(given)) && constantOf(given))
    return hasCount(node, 3, "zero points", w.rows * w.blocks())
               ? byBlocks(node, w, given)
               : Value();
  ConstantBytes packed;
  if (!packed.read(node, 3, "zero points") ||
      !hasCount(node, 3, "bytes of zero points", w.rows * w.zeroBytes()))
    return Value();
  return byteMatrix(node, w.blocks(), w.rows, [&](int64_t block, int64_t row) {
    return w.unpack(packed.unsignedBytes() + row * w.zeroBytes(), block);
  });
}

/// The weights as a matrix of K x N; no number after an error.
static Dequantized weightsOf(OnnxNode &node, const PackedWeights &w) {
  ConstantBytes packed;
  if (!packed.read(node, 1, "weights") ||
      !hasCount(node, 1, "bytes of weights",
                w.rows * w.blocks() * w.blockBytes()) ||
      !hasCount(node, 2, "scales", w.rows * w.blocks()))
    return {};
  if (!constantOf(node.getInput(2))) {
    (void)node.unsupported("takes scales that depend on the model's data, "
                           "expected constants");
    return {};
  }
  Dequantized parts;
  parts.zeroPoint = zeroPoints(node, w);
  parts.scale = byBlocks(node, w, node.getInput(2));
  parts.block = w.blockSize;
  if (!parts.zeroPoint)
    return {};
  parts.number = byteMatrix(node, w.depth, w.rows, [&](int64_t k, int64_t row) {
    int64_t block = row * w.blocks() + k / w.blockSize;
    return w.unpack(packed.unsignedBytes() + block * w.blockBytes(),
                    k % w.blockSize);
  });
  return parts;
}

/// Whether data may be rounded to bytes, block by block of the weights, where
/// onnxruntime does it: it has no such products of other blocks.
static bool takesBytes(OnnxNode &node, const PackedWeights &w) {
  constexpr int64_t bytesWillDo = 4;
  const int64_t least = w.bits == 2 ? 32 : 16, most = w.bits == 2 ? 128 : 256;
  return node.getInt("accuracy_level", 0) == bytesWillDo &&
         w.blockSize >= least && w.blockSize <= most &&
         w.depth <= kernels::deepestSum;
}

LogicalResult npu::buildMatMulNBits(OnnxNode &node) {
  constexpr int64_t most = INT32_MAX;
  PackedWeights w{node.getInt("N", 0, 1, most), node.getInt("K", 0, 1, most),
                  node.getInt("bits", 4, 2, 8),
                  node.getInt("block_size", 0, 16, most)};
  const bool isOfBytes = takesBytes(node, w);
  node.ignore({"weight_prepacked"});
  if (node.hasFailed())
    return failure();
  if (w.bits != 2 && w.bits != 4 && w.bits != 8)
    return node.error("found " + Twine(w.bits) + " bits, expected 2, 4 or 8");
  if (w.blockSize & (w.blockSize - 1))
    return node.error("found the block size " + Twine(w.blockSize) +
                      ", expected a power of 2");
  if (node.hasInput(4))
    return node.unsupported("has a group for each row of weights (g_idx)");
  Value a = node.getInput(0);
  Type type = elementOf(a), f32 = node.getBuilder().getF32Type();
  if (rankOf(a) < 1 || shapeOf(a).back() != w.depth)
    return node.error("found a first operand of shape " +
                      shapes::text(shapeOf(a)) +
                      ", expected rows of K = " + Twine(w.depth));
  Dequantized weights = weightsOf(node, w);
  if (!weights.number)
    return failure();
  bool isRow = rankOf(a) == 1;
  if (isRow)
    a = node.reshape(a, {1, w.depth});
  Value product = multiplyPacked(node, node.cast(a, f32), weights);
  if (isOfBytes && product)
    if (auto op = product.getDefiningOp<MatmulOp>())
      op.setQuantize(w.blockSize);
  if (product && isRow)
    product = node.reshape(product, {w.rows});
  if (product && node.hasInput(5))
    product = node.eltwise(NPU_INSTR_add,
                           {product, node.cast(node.getInput(5), f32)});
  return product ? node.setResult(node.cast(product, type)) : failure();
}

//===----------------------------------------------------------------------===//
// GatherBlockQuantized
//===----------------------------------------------------------------------===//

/// Rows by index of the first dimension.
static Value rowsOf(OnnxNode &node, Value table, Value indices) {
  if (!table)
    return table;
  Ints shape(shapeOf(indices));
  llvm::append_range(shape, shapeOf(table).drop_front());
  return node.create<GatherOp>(shape, elementOf(table), table, indices,
                               node.getBuilder().getI64IntegerAttr(0));
}

/// Numbers of so many bits that share bytes along the last dimension, the first
/// in the lowest bits, as bytes; the last dimension then is `extent`.
static Value unpacked(OnnxNode &node, Value packed, int64_t bits,
                      int64_t extent) {
  if (!packed || bits == 8)
    return packed;
  Ints shape(shapeOf(packed)), apart = shape;
  apart.push_back(1);
  Type byte = elementOf(packed);
  Value mask = node.scalar(double((1 << bits) - 1), byte);
  SmallVector<Value> parts;
  for (int64_t shift = 0; shift < 8; shift += bits) {
    Value moved =
        shift == 0 ? packed
                   : node.eltwise(NPU_INSTR_shift_right,
                                  {packed, node.scalar(double(shift), byte)});
    parts.push_back(
        node.reshape(node.eltwise(NPU_INSTR_bit_and, {moved, mask}), apart));
  }
  shape.back() *= 8 / bits;
  Value all = node.reshape(
      node.concat(parts, static_cast<int64_t>(apart.size()) - 1), shape);
  Ints starts(shape.size(), 0), steps(shape.size(), 1);
  shape.back() = extent;
  return node.slice(all, starts, steps, shape);
}

/// Constants that the file stores in 4 bits, and that are bytes here, packed
/// again; `offset` is added to numbers with a sign. Bytes stay what they are.
static Value packedAgain(OnnxNode &node, Value numbers, int64_t &bits,
                         int64_t &offset) {
  Operation *given = numbers.getDefiningOp();
  bool isFourBits = given && given->hasAttr(fourBitsAttr);
  bits = isFourBits ? 4 : bits;
  offset = isFourBits && elementOf(numbers).isSignlessInteger(8) ? 8 : 0;
  if (!isFourBits)
    return numbers;
  Ints shape(shapeOf(numbers));
  int64_t extent = shape.back(), bytes = (extent + 1) / 2, rows = 1;
  shape.back() = bytes;
  for (int64_t size : ArrayRef<int64_t>(shape).drop_back())
    rows *= size;
  std::vector<char> storage, packed(rows * bytes);
  ArrayRef<char> all = elementBytes(constantOf(numbers), storage);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t i = 0; i < extent; ++i)
      packed[row * bytes + i / 2] |= static_cast<char>(
          ((all[row * extent + i] + offset) & 15) << (i % 2 * 4));
  Type byte = node.getBuilder().getIntegerType(8, /*isSigned=*/false);
  return node.constant(
      makeElements(RankedTensorType::get(shape, byte), std::move(packed)));
}

/// One number for each block of the last dimension as one for each number.
static Value spread(OnnxNode &node, Value blocks, int64_t size,
                    int64_t extent) {
  if (!blocks)
    return blocks;
  Ints shape(shapeOf(blocks)), apart = shape;
  apart.push_back(1);
  Value one = node.reshape(blocks, apart);
  apart.back() = size;
  shape.back() *= size;
  Value all = node.reshape(node.broadcast(one, apart), shape);
  Ints starts(shape.size(), 0), steps(shape.size(), 1);
  shape.back() = extent;
  return node.slice(all, starts, steps, shape);
}

LogicalResult npu::buildGatherBlockQuantized(OnnxNode &node) {
  Value table = node.getInput(0), indices = node.getInput(1),
        scales = node.getInput(2), zeros = node.getInput(3);
  int64_t bits = node.getInt("bits", 4), offset = 0, zeroOffset = 0;
  int64_t size = node.getInt("block_size", 128, 16, INT32_MAX);
  int64_t rank = rankOf(table);
  FailureOr<int64_t> gathered = node.getAxis("gather_axis", 0, rank);
  FailureOr<int64_t> quantized = node.getAxis("quantize_axis", 1, rank);
  if (failed(gathered) || failed(quantized) || node.hasFailed())
    return failure();
  if (rank < 2 || *gathered != 0 || *quantized != rank - 1)
    return node.unsupported("gathers along axis " + Twine(*gathered) +
                            " what is in blocks along " + Twine(*quantized) +
                            ", expected 0 and the last, " + Twine(rank - 1));
  if (bits != 2 && bits != 4 && bits != 8)
    return node.error("found " + Twine(bits) + " bits, expected 2, 4 or 8");
  for (Value part : {table, zeros})
    if (part && !constantOf(part))
      return node.unsupported("takes a table that depends on the model's data, "
                              "expected a constant");
  Value stored = packedAgain(node, table, bits, offset);
  bool isFourBits = stored != table;
  int64_t extent = shapeOf(table).back() * (isFourBits ? 1 : 8 / bits);
  Ints blocks(shapeOf(table));
  blocks.back() = (extent + size - 1) / size;
  if (shapeOf(scales) != ArrayRef<int64_t>(blocks))
    return node.error("found scales of shape " + shapes::text(shapeOf(scales)) +
                      ", expected " + shapes::text(blocks));
  Type f32 = node.getBuilder().getF32Type();
  int64_t middle = isFourBits ? 0 : int64_t(1) << (bits - 1);
  Value zero = node.scalar(double(middle + offset), f32);
  if (zeros) {
    Ints expected = blocks;
    if (!isFourBits)
      expected.back() = (blocks.back() * bits + 7) / 8;
    if (shapeOf(zeros) != ArrayRef<int64_t>(expected))
      return node.error("found zero points of shape " +
                        shapes::text(shapeOf(zeros)) + ", expected " +
                        shapes::text(expected));
    zeros = packedAgain(node, zeros, bits, zeroOffset);
    zero = node.cast(
        unpacked(node, rowsOf(node, zeros, indices), bits, blocks.back()), f32);
    zero = spread(node, zero, size, extent);
  }
  Value numbers = node.cast(
      unpacked(node, rowsOf(node, stored, indices), bits, extent), f32);
  Value scale =
      spread(node, node.cast(rowsOf(node, scales, indices), f32), size, extent);
  Value real = multiply(node, subtract(node, numbers, zero), scale);
  return node.setResult(node.cast(real, elementOf(scales)));
}
