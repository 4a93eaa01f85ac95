// SPDX-License-Identifier: Apache-2.0
//
// Real numbers that stand for bytes. What comes out of DequantizeLinear is
// (number - zero point) * scale, so what only moves elements moves the bytes,
// and convolutions and matrix products sum bytes and scale the sums. Real
// numbers that nobody reads any more vanish with the import.
#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Frontend/ONNX/OnnxOps.h"
#include "compiler/Frontend/ONNX/OnnxQuantize.h"
#include "compiler/Frontend/ONNX/OnnxWindow.h"
#include "compiler/Frontend/Support/IntegerScale.h"

#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace npu;

static Value multiply(OnnxNode &node, Value a, Value b) {
  return node.eltwise(NPU_INSTR_mul, {a, b});
}

static bool isGoodScale(float scale) {
  return scale > 0 && std::isnormal(scale) && std::isnormal(1 / scale);
}

/// Whether all scales are known and ordinary: a reciprocal exists.
static bool hasGoodScale(const Dequantized &parts) {
  std::optional<std::vector<float>> scales = floatsOf(parts.scale);
  return scales && llvm::all_of(*scales, isGoodScale);
}

static bool isZero(Value zeroPoint) {
  return wholeZeroPoint(zeroPoint) == std::optional<int64_t>(0);
}

/// Whether both are constants with the same elements in the same shape.
static bool isSame(Value a, Value b) {
  if (a == b)
    return true;
  ElementsAttr first = a ? constantOf(a) : ElementsAttr();
  ElementsAttr second = b ? constantOf(b) : ElementsAttr();
  if (!first || !second || a.getType() != b.getType())
    return false;
  std::vector<char> storage[2];
  return elementBytes(first, storage[0]) == elementBytes(second, storage[1]);
}

Value npu::dequantized(OnnxNode &node, const Dequantized &parts, Type element) {
  if (!parts.number)
    return Value();
  OpBuilder &builder = node.getBuilder();
  if (isa<mlir::FloatType>(elementOf(parts.number)))
    return node.cast(parts.number, element);
  Value scale = node.cast(parts.scale, builder.getF32Type());
  Value real = node.cast(dequantize(node, parts.number, scale, parts.zeroPoint),
                         element);
  if (real && elementOf(real).isF32() && hasGoodScale(parts))
    node.dequantizedValues->insert({real, parts});
  return real;
}

void npu::noteParts(OnnxNode &node, Value real, const Dequantized &parts) {
  if (real && elementOf(real).isF32() && constantOf(real) &&
      constantOf(parts.number) && hasGoodScale(parts))
    node.dequantizedValues->insert({real, parts});
}

Value npu::numberFor(OnnxNode &node, Value real, Value scale, Value zeroPoint,
                     Type element) {
  const Dequantized *parts = node.getDequantized(real);
  bool isIt = parts && parts->block == 0 &&
              elementOf(parts->number) == element &&
              isSame(parts->scale, scale) &&
              (isSame(parts->zeroPoint, zeroPoint) ||
               (isZero(parts->zeroPoint) && isZero(zeroPoint)));
  return isIt ? parts->number : Value();
}

/// Bytes with one scale and one zero point for all.
static const Dequantized *wholeBytes(OnnxNode &node, Value real) {
  const Dequantized *parts = node.getDequantized(real);
  return parts && rankOf(parts->scale) == 0 && parts->block == 0 &&
                 isByte(elementOf(parts->number)) &&
                 (!parts->zeroPoint || wholeZeroPoint(parts->zeroPoint))
             ? parts
             : nullptr;
}

//===----------------------------------------------------------------------===//
// Movements
//===----------------------------------------------------------------------===//

/// Whether the node's results are elements of its first input (of all inputs
/// where it takes any number), for whatever kind of number. A maximum is one of
/// its elements, and scales are positive.
static bool movesElements(OnnxNode &node) {
  StringRef name = node.op.name;
  if (name == "Resize")
    return node.getString("mode", "nearest") == "nearest" &&
           node.getString("coordinate_transformation_mode", "") !=
               "tf_crop_and_resize";
  return llvm::StringSwitch<bool>(name)
      .Cases({"Concat", "DepthToSpace", "Dropout", "Expand", "Flatten"}, true)
      .Cases({"Gather", "GatherElements", "GatherND", "GlobalMaxPool"}, true)
      .Cases({"Identity", "MaxPool", "Reshape", "Slice", "SpaceToDepth"}, true)
      .Cases({"Split", "Squeeze", "Tile", "Transpose", "Unsqueeze"}, true)
      .Default(false);
}

/// A constant matrix turned over, and what it was made of.
static LogicalResult transposeParts(OnnxNode &node) {
  Value matrix = node.getInput(0);
  if (failed(node.op.build(node)))
    return failure();
  Ints permutation = node.getInts("perm").value_or(Ints{1, 0});
  bool isTurned = permutation.front() != 0;
  return node.setResult(0,
                        isTurned ? transposeDequantized(node, matrix) : matrix);
}

/// Rows of a constant table by index: of each of its parts, then made real.
/// Nothing where the first input is none whose parts vary over dimensions.
static std::optional<LogicalResult> gatherParts(OnnxNode &node) {
  const Dequantized *found = node.getDequantized(node.getInput(0));
  if (!found || !constantOf(found->number) || constantOf(node.getInput(1)) ||
      found->block != 0)
    return std::nullopt;
  Dequantized parts = *found;
  int64_t rank = rankOf(parts.number), across = rankOf(node.getInput(1));
  FailureOr<int64_t> axis = node.getAxis("axis", 0, rank);
  if (failed(axis))
    return LogicalResult(failure());
  for (Value *part : {&parts.number, &parts.scale, &parts.zeroPoint}) {
    if (!*part || rankOf(*part) + *axis < rank)
      continue; // one for all indices of the axis
    int64_t own = rankOf(*part) - rank + *axis;
    if (part != &parts.number && shapeOf(*part)[own] == 1) {
      Ints shape(shapeOf(*part));
      shape.erase(shape.begin() + own);
      shape.insert(shape.begin() + own, across, 1);
      *part = node.reshape(*part, shape);
      continue;
    }
    Ints aligned(shapeOf(*part));
    aligned.insert(aligned.begin(), rank - aligned.size(), 1);
    node.setInput(0, node.reshape(*part, aligned));
    if (failed(node.op.build(node)))
      return LogicalResult(failure());
    *part = node.getResults()[0];
  }
  return node.setResult(
      0, dequantized(node, parts, node.getBuilder().getF32Type()));
}

LogicalResult npu::buildNode(OnnxNode &node) {
  if (node.getInputCount() == 0 || !movesElements(node))
    return node.op.build(node);
  if (StringRef(node.op.name) == "Gather")
    if (std::optional<LogicalResult> built = gatherParts(node))
      return *built;
  if (StringRef(node.op.name) == "Transpose" &&
      node.getDequantized(node.getInput(0)) && rankOf(node.getInput(0)) == 2 &&
      constantOf(node.getInput(0)))
    return transposeParts(node);
  const Dequantized *found = wholeBytes(node, node.getInput(0));
  if (!found)
    return node.op.build(node);
  Dequantized parts = *found;
  size_t moved = node.schema.isVariadic() ? node.getInputCount() : 1;
  SmallVector<Value> numbers;
  for (size_t i = 0; i < moved; ++i)
    numbers.push_back(numberFor(node, node.getInput(i), parts.scale,
                                parts.zeroPoint, elementOf(parts.number)));
  if (!llvm::all_of(numbers, [](Value number) { return !!number; }))
    return node.op.build(node);
  for (auto [i, number] : llvm::enumerate(numbers))
    node.setInput(i, number);
  if (failed(node.op.build(node)))
    return failure();
  for (size_t i = 0; i < node.getOutputCount(); ++i) {
    Value result = node.getResults()[i];
    if (!result || elementOf(result) != elementOf(parts.number))
      continue; // positions of maxima, masks
    Dequantized its{result, parts.scale, parts.zeroPoint};
    if (failed(node.setResult(
            i, dequantized(node, its, node.getBuilder().getF32Type()))))
      return failure();
  }
  return success();
}

Value npu::padDequantized(OnnxNode &node, Value real, ArrayRef<int64_t> pads,
                          PadMode mode, double number) {
  const Dequantized *found = wholeBytes(node, real);
  if (!found || (mode == PadMode::Constant && number != 0))
    return node.pad(real, pads, mode, number);
  Dequantized parts = *found;
  int64_t zero = parts.zeroPoint ? *wholeZeroPoint(parts.zeroPoint) : 0;
  parts.number = node.pad(parts.number, pads, mode, static_cast<double>(zero));
  return dequantized(node, parts, node.getBuilder().getF32Type());
}

//===----------------------------------------------------------------------===//
// Sums of products
//===----------------------------------------------------------------------===//

/// A constant of bytes whose parameters vary over dimension `axis` at most.
static const Dequantized *constantWeight(OnnxNode &node, Value real,
                                         int64_t axis) {
  const Dequantized *parts = node.getDequantized(real);
  if (!parts || !constantOf(parts->number) || parts->block != 0 ||
      !isByte(elementOf(parts->number)) ||
      (parts->zeroPoint && !constantOf(parts->zeroPoint)))
    return nullptr;
  int64_t rank = rankOf(parts->number);
  ArrayRef<int64_t> shape = shapeOf(parts->scale);
  for (auto [i, extent] : llvm::enumerate(shape))
    if (extent != 1 && rank - int64_t(shape.size()) + int64_t(i) != axis)
      return nullptr;
  return parts;
}

/// An i32 bias in units of `factor`, both with one number for each channel.
static Value bytesBias(OnnxNode &node, Value bias, Value factor) {
  const Dequantized *parts = node.getDequantized(bias);
  if (!parts || !elementOf(parts->number).isSignlessInteger(32) ||
      !isZero(parts->zeroPoint))
    return Value();
  std::optional<std::vector<float>> units = floatsOf(parts->scale);
  std::optional<std::vector<float>> wanted = floatsOf(factor);
  if (!units || !wanted || units->empty() || wanted->empty())
    return Value();
  for (size_t i = 0; i < std::max(units->size(), wanted->size()); ++i) {
    float unit = (*units)[i % units->size()],
          one = (*wanted)[i % wanted->size()];
    if (std::fabs(unit - one) > 1e-6f * one)
      return Value();
  }
  return parts->number;
}

/// A convolution of bytes as real numbers: what `sumOf` gives for an i32 bias
/// (null: none) by the scales of data and weight, and a bias of another unit
/// behind it. The weight's scale is one, or one for each of `channels`.
static Value scaledSum(OnnxNode &node, const ConvOperands &operands,
                       const Dequantized &data, const Dequantized &weight,
                       int64_t channels,
                       function_ref<Value(Value bias)> sumOf) {
  Ints aligned(rankOf(operands.weight) - 1, 1);
  aligned[0] = channels;
  bool isWhole = tensorType(weight.scale).getNumElements() == 1;
  Value scale = node.reshape(weight.scale, isWhole ? Ints() : aligned);
  Value factor = multiply(node, data.scale, scale);
  if (!factor)
    return Value();
  Value bias = operands.bias ? bytesBias(node, operands.bias, factor) : Value();
  Value sum = sumOf(bias);
  if (!sum)
    return Value();
  Value real =
      multiply(node, node.cast(sum, node.getBuilder().getF32Type()), factor);
  if (operands.bias && !bias)
    real = node.eltwise(NPU_INSTR_add,
                        {real, node.reshape(operands.bias, aligned)});
  return real;
}

Value npu::convolveDequantized(OnnxNode &node, const ConvOperands &operands) {
  const Dequantized *data = wholeBytes(node, operands.data);
  const Dequantized *weight = constantWeight(node, operands.weight, 0);
  if (!data || !weight)
    return convolve(node, operands);
  return scaledSum(node, operands, *data, *weight, shapeOf(operands.weight)[0],
                   [&](Value bias) {
                     return integerConv(node,
                                        {data->number, weight->number, bias,
                                         data->zeroPoint, weight->zeroPoint});
                   });
}

Value npu::convolveTransposedDequantized(
    OnnxNode &node, const ConvOperands &operands, int64_t groups,
    function_ref<Value(const ConvOperands &)> convolve) {
  const Dequantized *data = wholeBytes(node, operands.data);
  const Dequantized *weight = constantWeight(node, operands.weight, 1);
  bool isWhole = weight && tensorType(weight->scale).getNumElements() == 1;
  if (!data || !weight || !isZero(weight->zeroPoint) ||
      !elementOf(weight->number).isSignlessInteger(8) ||
      (groups > 1 && !isWhole)) // its scales are those of one group
    return convolve(operands);
  int64_t zero = wholeZeroPoint(data->zeroPoint).value_or(0);
  int64_t channels = shapeOf(operands.weight)[1] * groups;
  return scaledSum(node, operands, *data, *weight, channels, [&](Value bias) {
    return convolve({data->number, weight->number, bias,
                     node.getBuilder().getI32Type(), zero});
  });
}

Value npu::multiplyDequantized(OnnxNode &node, Value a, Value b) {
  const Dequantized *left = wholeBytes(node, a);
  const Dequantized *right =
      b && rankOf(b) >= 2 ? constantWeight(node, b, rankOf(b) - 1) : nullptr;
  if (!left || !right) {
    Value product = multiplyPacked(node, a, b);
    return product || node.hasFailed() ? product : node.matmul(a, b);
  }
  bool isWhole = tensorType(right->scale).getNumElements() == 1;
  Value scale =
      node.reshape(right->scale, isWhole ? Ints() : Ints{shapeOf(b).back()});
  Value product = integerProduct(node, left->number, left->zeroPoint,
                                 right->number, right->zeroPoint);
  Value factor = multiply(node, left->scale, scale);
  if (!product || !factor)
    return Value();
  return multiply(node, node.cast(product, node.getBuilder().getF32Type()),
                  factor);
}

Value npu::transposeDequantized(OnnxNode &node, Value matrix) {
  Ints turned{1, 0};
  const Dequantized *found = node.getDequantized(matrix);
  if (!found)
    return node.transpose(matrix, turned);
  Dequantized parts = *found;
  for (Value *value : {&parts.number, &parts.scale, &parts.zeroPoint}) {
    if (!*value || rankOf(*value) == 0)
      continue;
    Ints shape(shapeOf(*value));
    shape.insert(shape.begin(), 2 - shape.size(), 1);
    *value = node.transpose(node.reshape(*value, shape), turned);
  }
  if (constantOf(matrix) && constantOf(parts.number)) {
    parts.blockAxis = 1 - parts.blockAxis;
    Value real = node.transpose(matrix, turned);
    noteParts(node, real, parts);
    return real;
  }
  return dequantized(node, parts, elementOf(matrix));
}

Value npu::columnsOf(OnnxNode &node, Value matrix, int64_t first,
                     int64_t count) {
  // Whole, where one number is for all columns.
  auto columns = [&](Value value) {
    if (!value || rankOf(value) == 0 || shapeOf(value).back() == 1)
      return value;
    Ints extents(shapeOf(value)), starts(extents.size(), 0),
        steps(extents.size(), 1);
    starts.back() = first;
    extents.back() = count;
    return node.slice(value, starts, steps, extents);
  };
  Value part = columns(matrix);
  const Dequantized *found = node.getDequantized(matrix);
  if (!found || (found->block != 0 && found->blockAxis != 0))
    return part;
  Dequantized parts = *found;
  for (Value *value : {&parts.number, &parts.scale, &parts.zeroPoint})
    *value = columns(*value);
  noteParts(node, part, parts);
  return part;
}
