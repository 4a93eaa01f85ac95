// SPDX-License-Identifier: Apache-2.0
//
// Quantized numbers: q stands for (q - zero point) * scale. Convolutions and
// matrix products run on bytes; all else is scalar functions.
#include "compiler/Frontend/ONNX/OnnxOps.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/ONNX/OnnxArithmetic.h"
#include "compiler/Frontend/ONNX/OnnxQuantize.h"
#include "compiler/Frontend/ONNX/OnnxWindow.h"
#include "compiler/Frontend/Support/IntegerScale.h"

#include <numeric>

using namespace npu;

static Type f32(OnnxNode &node) { return node.getBuilder().getF32Type(); }
static Type i32(OnnxNode &node) { return node.getBuilder().getI32Type(); }

/// Whether all numbers of an integer constant are 0.
static bool isZero(Value value) {
  ElementsAttr known = constantOf(value);
  return known && llvm::all_of(elementInts(known),
                               [](int64_t number) { return number == 0; });
}

static bool isOneNumber(Value parameter) {
  return tensorType(parameter).getNumElements() == 1 && rankOf(parameter) <= 1;
}

/// A parameter of one number, or of one for each index of dimension `axis` of
/// `shape`, such that it broadcasts to `shape`.
static Value perAxis(OnnxNode &node, Value parameter, ArrayRef<int64_t> shape,
                     int64_t axis) {
  if (!parameter)
    return parameter;
  if (isOneNumber(parameter))
    return node.reshape(parameter, {});
  if (rankOf(parameter) != 1 || shapeOf(parameter)[0] != shape[axis])
    return node.fail("found a scale or zero point of shape " +
                     shapes::text(shapeOf(parameter)) +
                     ", expected one number or " + Twine(shape[axis]) +
                     ", one for each index of axis " + Twine(axis));
  Ints aligned(static_cast<int64_t>(shape.size()) - axis, 1);
  aligned[0] = shape[axis];
  return node.reshape(parameter, aligned);
}

/// A parameter of one number for each block of `size` indices of `axis`.
static Value perBlock(OnnxNode &node, Value parameter, ArrayRef<int64_t> shape,
                      int64_t axis, int64_t size) {
  if (!parameter)
    return parameter;
  Ints blocks(shape);
  blocks[axis] = (shape[axis] + size - 1) / size;
  if (shapeOf(parameter) != ArrayRef<int64_t>(blocks))
    return node.fail("found a scale or zero point of shape " +
                     shapes::text(shapeOf(parameter)) + ", expected " +
                     shapes::text(blocks) + " for blocks of " + Twine(size));
  Ints split = blocks, merged = blocks;
  split.insert(split.begin() + axis + 1, 1);
  Value apart = node.reshape(parameter, split);
  split[axis + 1] = size;
  merged[axis] *= size;
  Value repeated = node.reshape(node.broadcast(apart, split), merged);
  Ints starts(shape.size(), 0), steps(shape.size(), 1);
  return node.slice(repeated, starts, steps, shape);
}

/// Reads `axis` and `block_size`; false after an error.
static bool readGranularity(OnnxNode &node, Value data, Value &scale,
                            Value &zeroPoint) {
  int64_t rank = rankOf(data);
  int64_t blockSize = node.getInt("block_size", 0, 0, INT32_MAX);
  int64_t axis = node.getInt("axis", 1);
  bool isWhole = isOneNumber(scale) && blockSize == 0;
  if (zeroPoint && shapeOf(zeroPoint) != shapeOf(scale) &&
      (!isWhole || !isOneNumber(zeroPoint))) {
    node.fail("found a scale of shape " + shapes::text(shapeOf(scale)) +
              " and a zero point of shape " + shapes::text(shapeOf(zeroPoint)) +
              ", expected the same");
    return false;
  }
  // One number for all: no axis is named, and data may be a scalar.
  FailureOr<int64_t> named =
      isWhole ? FailureOr<int64_t>(0) : node.normalizeAxis(axis, rank);
  if (failed(named))
    return false;
  for (Value *parameter : {&scale, &zeroPoint})
    *parameter =
        blockSize > 0
            ? perBlock(node, *parameter, shapeOf(data), *named, blockSize)
            : perAxis(node, *parameter, shapeOf(data), *named);
  return !node.hasFailed();
}

Value npu::quantized(OnnxNode &node, Value real, Value scale, Value zeroPoint,
                     Type element) {
  return quantize(node, real, scale, zeroPoint, element, Rounding::HalfEven);
}

Value npu::quantizedUnits(OnnxNode &node, Value units, Value zeroPoint,
                          Type element) {
  return quantized(node, units, node.scalar(1, f32(node)), zeroPoint, element);
}

LogicalResult npu::buildQuantizeLinear(OnnxNode &node) {
  Value x = node.getInput(0), scale = node.getInput(1);
  Value zeroPoint = node.getInput(2);
  node.ignore({"saturate"}); // of 8-bit floats
  Type element = node.getBuilder().getIntegerType(8, /*isSigned=*/false);
  if (int64_t wanted = node.getInt("output_dtype", 0)) {
    FailureOr<Type> declared = node.typeOf(wanted);
    if (failed(declared))
      return failure();
    element = *declared;
    if (zeroPoint && elementOf(zeroPoint) != element)
      return node.error("attribute 'output_dtype' asks for " +
                        typeText(element) + ", but the zero point is " +
                        typeText(elementOf(zeroPoint)));
  }
  if (zeroPoint)
    element = elementOf(zeroPoint);
  Operation *given = zeroPoint ? zeroPoint.getDefiningOp() : nullptr;
  if (given && given->hasAttr(fourBitsAttr))
    return node.unsupported("gives numbers of 4 bits, expected 8; only "
                            "constants are stored in 4");
  Type quotient = f32(node);
  if (int64_t precision = node.getInt("precision", 0)) {
    FailureOr<Type> declared = node.typeOf(precision);
    if (failed(declared))
      return failure();
    quotient = *declared;
  }
  if (!isa<mlir::FloatType>(quotient))
    return node.error("attribute 'precision' asks for " + typeText(quotient) +
                      ", expected a float type");
  if (!readGranularity(node, x, scale, zeroPoint))
    return failure();
  if (Value number = numberFor(node, x, scale, zeroPoint, element))
    return node.setResult(number);
  Value real = node.cast(x, f32(node)), unit = node.cast(scale, f32(node));
  if (quotient == f32(node))
    return node.setResult(quantized(node, real, unit, zeroPoint, element));
  real = node.cast(node.cast(divide(node, real, unit), quotient), f32(node));
  return node.setResult(quantizedUnits(node, real, zeroPoint, element));
}

LogicalResult npu::buildDequantizeLinear(OnnxNode &node) {
  Value x = node.getInput(0), scale = node.getInput(1);
  Value zeroPoint = node.getInput(2);
  Type result = elementOf(scale);
  if (int64_t wanted = node.getInt("output_dtype", 0)) {
    FailureOr<Type> declared = node.typeOf(wanted);
    if (failed(declared))
      return failure();
    result = *declared;
  }
  int64_t block = node.getInt("block_size", 0, 0, INT32_MAX);
  Dequantized stored{x, scale, zeroPoint, block, 0};
  if (!readGranularity(node, x, scale, zeroPoint))
    return failure();
  Value real = dequantized(node, {x, scale, zeroPoint}, result);
  if (real && block > 0) {
    // Blocks as they are stored, in place of a scale for each number.
    node.dequantizedValues->erase(real);
    stored.blockAxis = *node.normalizeAxis(node.getInt("axis", 1), rankOf(x));
    noteParts(node, real, stored);
  }
  return node.setResult(real);
}

Dequantized npu::quantizedByRange(OnnxNode &node, Value x) {
  Ints all = countFrom(0, x ? rankOf(x) : 0);
  Value zero = x ? node.scalar(0, elementOf(x)) : x;
  Value low = node.eltwise(NPU_INSTR_min,
                           {zero, node.reduce(x, ReduceKind::Min, all, false)});
  Value high = node.eltwise(
      NPU_INSTR_max, {zero, node.reduce(x, ReduceKind::Max, all, false)});
  Value range = subtract(node, high, low);
  // Zeros only: any scale will do, but none of 0.
  Value scale = node.eltwise(
      NPU_INSTR_select,
      {node.eltwise(NPU_INSTR_equal, {range, zero}), node.scalar(1, f32(node)),
       divide(node, range, node.scalar(255, f32(node)))});
  Type element = node.getBuilder().getIntegerType(8, /*isSigned=*/false);
  Value offset = divide(node, subtract(node, zero, low), scale);
  Value zeroPoint = quantizedUnits(node, offset, Value(), element);
  return {quantized(node, x, scale, zeroPoint, element), scale, zeroPoint};
}

Value npu::multiplyByRange(OnnxNode &node, Value x, const Dequantized &weight) {
  Dequantized data = quantizedByRange(node, x);
  Value product = integerProduct(node, data.number, data.zeroPoint,
                                 weight.number, weight.zeroPoint);
  Value factor = multiply(node, data.scale, weight.scale);
  return product && factor
             ? multiply(node, node.cast(product, f32(node)), factor)
             : Value();
}

LogicalResult npu::buildDynamicQuantizeLinear(OnnxNode &node) {
  Dequantized parts = quantizedByRange(node, node.getInput(0));
  if (failed(node.setResult(0, parts.number)) ||
      failed(node.setResult(1, parts.scale)))
    return failure();
  return node.setResult(2, parts.zeroPoint);
}

std::optional<int64_t> npu::wholeZeroPoint(Value zeroPoint) {
  if (!zeroPoint)
    return 0;
  ElementsAttr known = constantOf(zeroPoint);
  if (!known || known.getNumElements() == 0)
    return std::nullopt;
  SmallVector<int64_t> numbers = elementInts(known);
  return llvm::all_equal(numbers) ? std::optional(numbers[0]) : std::nullopt;
}

/// value - zero point in i32.
static Value widened(OnnxNode &node, Value value, Value zeroPoint) {
  Value wide = node.cast(value, i32(node));
  if (!zeroPoint || isZero(zeroPoint))
    return wide;
  return subtract(node, wide, node.cast(zeroPoint, i32(node)));
}

namespace {
/// weight - zero point as int8, which fast kernels take alone, and what has to
/// be added to each number (null: nothing). No bytes where that depends on
/// data.
struct ByteWeight {
  Value bytes, offset;
};
} // namespace

static ByteWeight byteWeight(OnnxNode &node, Value weight, Value zeroPoint) {
  bool isSigned = elementOf(weight).isSignlessInteger(8);
  if (isSigned && (!zeroPoint || isZero(zeroPoint)))
    return {weight, Value()};
  if (!constantOf(weight) || (zeroPoint && !constantOf(zeroPoint)))
    return {};
  Type byte = node.getBuilder().getIntegerType(8);
  Value exact = widened(node, weight, zeroPoint);
  Value clipped = node.eltwise(NPU_INSTR_clip, {exact}, -128, 127);
  if (!clipped)
    return {};
  if (isZero(subtract(node, exact, clipped)))
    return {node.cast(clipped, byte), Value()};
  // All bytes as they are, an unsigned one less 128.
  Value middle = node.scalar(isSigned ? 0 : 128, i32(node));
  Value moved = subtract(node, node.cast(weight, i32(node)), middle);
  Value offset = zeroPoint
                     ? subtract(node, middle, node.cast(zeroPoint, i32(node)))
                     : middle;
  return {node.cast(moved, byte), offset};
}

/// An int8 constant of ones.
static Value ones(OnnxNode &node, ArrayRef<int64_t> shape) {
  Type byte = node.getBuilder().getIntegerType(8);
  auto type = RankedTensorType::get(shape, byte);
  return node.constant(makeElements(
      type, std::vector<char>(static_cast<size_t>(type.getNumElements()), 1)));
}

/// The sum of a convolution's weights for each channel of its result, in i32.
static Value channelSums(OnnxNode &node, Value weight) {
  Ints behind(rankOf(weight) - 1, 1);
  behind[0] = shapeOf(weight)[0];
  return node.reshape(node.reduce(node.cast(weight, i32(node)), ReduceKind::Sum,
                                  countFrom(1, rankOf(weight)), true),
                      behind);
}

Value npu::integerConv(OnnxNode &node, const IntegerConv &operands) {
  auto [data, weight, bias, dataZero, weightZero] = operands;
  std::optional<int64_t> zero = wholeZeroPoint(dataZero);
  ByteWeight known = byteWeight(node, weight, weightZero);
  if (node.hasFailed())
    return Value();
  if (!known.bytes)
    return convolve(node, {widened(node, data, dataZero),
                           widened(node, weight, weightZero), bias, i32(node)});
  Value padding = zero ? Value() : node.reshape(dataZero, {});
  // Less the zero point where that depends on data.
  auto sumOf = [&, data = data](Value numbers, Value added) {
    Value sum = convolve(
        node, {data, numbers, added, i32(node), zero.value_or(0), padding});
    if (zero || !sum)
      return sum;
    return subtract(node, sum,
                    multiply(node, node.cast(padding, i32(node)),
                             channelSums(node, numbers)));
  };
  Value sum = sumOf(known.bytes, bias);
  if (!sum || !known.offset)
    return sum;
  // What is added to all weights multiplies the sums of the windows, which are
  // those of one channel for all, but for groups.
  Ints shape(shapeOf(weight));
  if (shapeOf(data)[1] == shape[1])
    shape[0] = 1;
  Ints channels(rankOf(weight) - 1, 1);
  channels[0] = tensorType(known.offset).getNumElements();
  return add(node, sum,
             multiply(node, sumOf(ones(node, shape), Value()),
                      node.reshape(known.offset, channels)));
}

static LogicalResult checkConvWeight(OnnxNode &node, Value weight) {
  if (rankOf(weight) >= 3)
    return success();
  return node.error("found a weight of shape " + shapes::text(shapeOf(weight)) +
                    ", expected 1 to 3 spatial dimensions");
}

/// One number for all data.
Value npu::wholeParameter(OnnxNode &node, size_t index) {
  Value parameter = node.getInput(index);
  if (tensorType(parameter).getNumElements() != 1)
    return node.fail("found a scale or zero point of shape " +
                     shapes::text(shapeOf(parameter)) +
                     ", expected one number");
  return node.reshape(parameter, {});
}

LogicalResult npu::buildConvInteger(OnnxNode &node) {
  Value data = node.getInput(0), weight = node.getInput(1);
  if (failed(checkConvWeight(node, weight)))
    return failure();
  Value dataZero, weightZero;
  if (node.hasInput(2))
    dataZero = wholeParameter(node, 2);
  if (node.hasInput(3))
    weightZero = perAxis(node, node.getInput(3), shapeOf(weight), 0);
  if (node.hasFailed())
    return failure();
  return node.setResult(
      integerConv(node, {data, weight, Value(), dataZero, weightZero}));
}

/// An i32 sum in units of `factor` as a quantized number.
static Value requantized(OnnxNode &node, Value sum, Value factor,
                         Value zeroPoint) {
  return quantizedUnits(node, multiply(node, node.cast(sum, f32(node)), factor),
                        zeroPoint, elementOf(zeroPoint));
}

LogicalResult npu::buildQLinearConv(OnnxNode &node) {
  Value data = node.getInput(0), weight = node.getInput(3);
  if (failed(checkConvWeight(node, weight)))
    return failure();
  Value dataScale = wholeParameter(node, 1), dataZero = wholeParameter(node, 2);
  Value scale = wholeParameter(node, 6), zero = wholeParameter(node, 7);
  Ints channels(rankOf(weight), 1); // of the result
  channels[1] = shapeOf(weight)[0];
  Value weightScale = perAxis(node, node.getInput(4), channels, 1);
  Value weightZero = perAxis(node, node.getInput(5), shapeOf(weight), 0);
  if (node.hasFailed())
    return failure();
  Value sum =
      integerConv(node, {data, weight, node.getInput(8), dataZero, weightZero});
  Value factor = divide(node, multiply(node, dataScale, weightScale), scale);
  if (!sum || !factor)
    return failure();
  return node.setResult(requantized(node, sum, factor, zero));
}

/// The sum over a dimension of a matrix operand, in i32.
static Value matrixSum(OnnxNode &node, Value matrix, int64_t axis) {
  return node.reduce(node.cast(matrix, i32(node)), ReduceKind::Sum, {axis},
                     true);
}

/// (a - aZero) times (b - bZero) in i32; zero points broadcast to the operands.
Value npu::integerProduct(OnnxNode &node, Value a, Value aZero, Value b,
                          Value bZero) {
  ByteWeight known = byteWeight(node, b, bZero);
  bool isKnown = !!known.bytes;
  if (isKnown) {
    b = known.bytes;
  } else {
    // Any bytes as int8: both b and its zero point move by 128.
    bZero = bZero ? node.cast(bZero, i32(node)) : node.scalar(0, i32(node));
    if (!elementOf(b).isSignlessInteger(8)) {
      Value middle = node.scalar(128, i32(node));
      b = node.cast(subtract(node, node.cast(b, i32(node)), middle),
                    node.getBuilder().getIntegerType(8));
      bZero = subtract(node, bZero, middle);
    }
  }
  if (node.hasFailed())
    return Value();
  bool hasZero = aZero && !isZero(aZero);
  Value product = node.matmul(a, b);
  Value columns; // what aZero is multiplied with
  if (hasZero)
    columns = matrixSum(node, b, rankOf(b) - 2);
  if (known.offset) {
    Value rows = node.matmul(a, ones(node, {shapeOf(a).back(), 1}));
    product = add(node, product, multiply(node, rows, known.offset));
    Value depth = node.scalar(double(shapeOf(a).back()), i32(node));
    if (hasZero)
      columns = add(node, columns, multiply(node, known.offset, depth));
  }
  if (!isKnown)
    product =
        subtract(node, product,
                 multiply(node, matrixSum(node, a, rankOf(a) - 1), bZero));
  if (!hasZero)
    return product;
  if (!isKnown) {
    Value depth = node.scalar(double(shapeOf(a).back()), i32(node));
    columns = subtract(node, columns, multiply(node, bZero, depth));
  }
  return subtract(node, product,
                  multiply(node, node.cast(aZero, i32(node)), columns));
}

namespace {
/// The operands of a matrix product with vectors as matrices.
struct Matrices {
  Value a, b;
  bool isRow, isColumn;

  explicit Matrices(OnnxNode &node, size_t first, size_t second)
      : a(node.getInput(first)), b(node.getInput(second)),
        isRow(rankOf(a) == 1), isColumn(rankOf(b) == 1) {
    if (rankOf(a) == 0 || rankOf(b) == 0)
      a = node.fail("found a scalar operand, expected vectors or matrices");
    if (isRow)
      a = node.reshape(a, {1, shapeOf(a)[0]});
    if (isColumn)
      b = node.reshape(b, {shapeOf(b)[0], 1});
  }

  /// The product without the dimensions that vectors do not have.
  Value restored(OnnxNode &node, Value product) const {
    if (!product)
      return product;
    Ints shape(shapeOf(product));
    if (isColumn)
      shape.pop_back();
    if (isRow)
      shape.erase(shape.end() - (isColumn ? 1 : 2));
    return node.reshape(product, shape);
  }
};
} // namespace

/// A parameter of one number, one for each row (or column) of the last two
/// dimensions, or already with as many dimensions as the matrix.
static Value matrixParameter(OnnxNode &node, Value parameter, Value matrix,
                             bool isPerRow) {
  if (!parameter || !matrix)
    return Value();
  if (tensorType(parameter).getNumElements() == 1)
    return node.reshape(parameter, {});
  Ints shape(shapeOf(parameter));
  if (shape.size() == 1)
    shape.insert(isPerRow ? shape.end() : shape.begin(), 1);
  Ints expected(shapeOf(matrix));
  expected[isPerRow ? expected.size() - 1 : expected.size() - 2] = 1;
  ArrayRef<int64_t> behind =
      ArrayRef<int64_t>(expected).take_back(shape.size());
  if (shape.size() > expected.size() || ArrayRef<int64_t>(shape) != behind)
    return node.fail("found a scale or zero point of shape " +
                     shapes::text(shapeOf(parameter)) +
                     ", expected one number or " + shapes::text(expected));
  return node.reshape(parameter, shape);
}

LogicalResult npu::buildMatMulInteger(OnnxNode &node) {
  Matrices matrices(node, 0, 1);
  Value aZero, bZero;
  if (node.hasInput(2))
    aZero = matrixParameter(node, node.getInput(2), matrices.a, true);
  if (node.hasInput(3))
    bZero = matrixParameter(node, node.getInput(3), matrices.b, false);
  if (node.hasFailed())
    return failure();
  Value product = integerProduct(node, matrices.a, aZero, matrices.b, bZero);
  return node.setResult(matrices.restored(node, product));
}

LogicalResult npu::buildQLinearMatMul(OnnxNode &node) {
  Matrices matrices(node, 0, 3);
  if (node.hasFailed())
    return failure();
  auto parameter = [&](size_t index, Value matrix, bool isPerRow) {
    Value given = node.getInput(index);
    bool isScale = isa<mlir::FloatType>(elementOf(given));
    return matrixParameter(node, isScale ? node.cast(given, f32(node)) : given,
                           matrix, isPerRow);
  };
  Value aScale = parameter(1, matrices.a, true);
  Value aZero = parameter(2, matrices.a, true);
  Value bScale = parameter(4, matrices.b, false);
  Value bZero = parameter(5, matrices.b, false);
  if (node.hasFailed())
    return failure();
  Value product = integerProduct(node, matrices.a, aZero, matrices.b, bZero);
  if (!product)
    return failure();
  Value scale = parameter(6, product, true), zero = parameter(7, product, true);
  Value factor = divide(node, multiply(node, aScale, bScale), scale);
  if (!factor)
    return failure();
  return node.setResult(
      matrices.restored(node, requantized(node, product, factor, zero)));
}

/// Real numbers of a product, with the bias at input `index` if there is one.
static LogicalResult setBiased(OnnxNode &node, Value product, size_t index) {
  if (product && node.hasInput(index)) {
    Value bias = node.getInput(index);
    if (rankOf(bias) != 1 || shapeOf(bias)[0] != shapeOf(product).back())
      return node.error("found a bias of shape " + shapes::text(shapeOf(bias)) +
                        ", expected " + Twine(shapeOf(product).back()) +
                        ", the number of columns");
    product = add(node, product, node.cast(bias, elementOf(product)));
  }
  return node.setResult(product);
}

LogicalResult npu::buildDynamicQuantizeMatMul(OnnxNode &node) {
  Matrices matrices(node, 0, 1);
  if (node.hasFailed())
    return failure();
  Dequantized weight{
      matrices.b, matrixParameter(node, node.getInput(2), matrices.b, false),
      matrixParameter(node, node.getInput(3), matrices.b, false)};
  if (node.hasFailed())
    return failure();
  Value product = multiplyByRange(node, matrices.a, weight);
  return setBiased(node, matrices.restored(node, product), 4);
}

LogicalResult npu::buildMatMulIntegerToFloat(OnnxNode &node) {
  Matrices matrices(node, 0, 1);
  if (node.hasFailed())
    return failure();
  Type type = elementOf(node.getInput(2));
  Value aScale = matrixParameter(node, node.getInput(2), matrices.a, true),
        bScale = matrixParameter(node, node.getInput(3), matrices.b, false),
        aZero = matrixParameter(node, node.getInput(4), matrices.a, true),
        bZero = matrixParameter(node, node.getInput(5), matrices.b, false);
  if (node.hasFailed())
    return failure();
  Value product = integerProduct(node, matrices.a, aZero, matrices.b, bZero);
  Value factor = multiply(node, node.cast(aScale, f32(node)),
                          node.cast(bScale, f32(node)));
  if (!product || !factor)
    return failure();
  product = multiply(node, node.cast(product, f32(node)), factor);
  return setBiased(node, matrices.restored(node, node.cast(product, type)), 6);
}
