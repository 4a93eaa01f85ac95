// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/TFLite/TfliteWindow.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/Support/IntegerScale.h"
#include "compiler/Frontend/TFLite/TfliteOps.h"

#include <cmath>

using namespace npu;

Ints npu::tflitePads(ArrayRef<int64_t> image, ArrayRef<int64_t> kernel,
                     ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations,
                     tflite::Padding padding) {
  Ints begins, ends;
  for (size_t i = 0; i < image.size(); ++i) {
    int64_t stride = std::max<int64_t>(strides[i], 1);
    int64_t results = (image[i] + stride - 1) / stride;
    int64_t reach = (kernel[i] - 1) * dilations[i] + 1;
    int64_t total = (results - 1) * stride + reach - image[i];
    total = padding == tflite::Padding::SAME ? std::max<int64_t>(total, 0) : 0;
    begins.push_back(total / 2);
    ends.push_back(total - total / 2);
  }
  begins.append(ends);
  return begins;
}

/// Constant weights without their zero point, as bytes where they fit, else as
/// numbers of 32 bits; other weights in 32 bits, too.
static Value withoutZero(TfliteNode &node, Value weight, int64_t zero) {
  if (zero == 0)
    return weight;
  Value wide = node.centered(weight, zero);
  ElementsAttr known = wide ? constantOf(wide) : ElementsAttr();
  auto isByte = [](int64_t number) { return number >= -128 && number <= 127; };
  if (known && llvm::all_of(elementInts(known), isByte))
    return node.cast(wide, node.getBuilder().getIntegerType(8));
  return wide;
}

namespace {
/// What turns sums into the result's numbers.
struct SumScale {
  SmallVector<double> factors; // one, or one for each channel
  int64_t dataZero = 0, weightZero = 0;
};
} // namespace

static FailureOr<SumScale> scaleOfSum(TfliteNode &node,
                                      const TfliteProduct &product) {
  FailureOr<TfliteScale> data = node.inputScale(product.dataIndex),
                         result = node.resultScale();
  const tflite::Tensor *weights = node.op.input(product.weightIndex);
  std::optional<TfliteScale> weight = tfliteScale(*weights);
  if (failed(data) || failed(result))
    return failure();
  if (!weight || !llvm::all_equal(weight->zeroPoints))
    return node.unsupported("multiplies with " + tfliteTensorText(*weights) +
                            ", which has " +
                            (weight ? "several zero points" : "no scale"));
  SumScale scale{{}, data->zeroPoint(), weight->zeroPoint()};
  for (float one : weight->scales) {
    double both = data->scale() * double(one);
    if (product.isFactorFloat && !weight->isByChannel())
      both = double(float(data->scale()) * one);
    scale.factors.push_back(both / result->scale());
  }
  return scale;
}

/// Sums of 64 bits: a factor of 15 bits, halves upwards, as LiteRT has it.
static Value scaledLong(TfliteNode &node, Value sum, ArrayRef<double> factors) {
  Type i64 = node.getBuilder().getI64Type();
  std::vector<int32_t> multipliers, shifts;
  for (double factor : factors) {
    TfliteMultiplier found = multiplierOf(factor);
    multipliers.push_back(found.multiplier < 0x7fff0000
                              ? (found.multiplier + (1 << 15)) >> 16
                              : 0x7fff);
    shifts.push_back(found.shift - 16);
  }
  auto operand = [&](const std::vector<int32_t> &given) {
    return llvm::all_equal(given)
               ? node.scalar(given.front(), i64)
               : node.cast(node.vectorAlong(given, 0, 1), i64);
  };
  return applyScale(node, sum, operand(multipliers), operand(shifts),
                    /*roundsTwice=*/false);
}

using SumBuilder = function_ref<Value(Value, Value, Value, int64_t)>;

/// x = 256 * high + low: both are bytes, the lower one with a zero point.
static Value sumOfHalves(TfliteNode &node, const TfliteProduct &product,
                         Value weight, Type element, SumBuilder sum) {
  Type i8 = node.getBuilder().getIntegerType(8);
  Value x = node.cast(product.data, node.i32());
  Value high =
      node.cast(node.two(NPU_INSTR_shift_right, x, node.number32(8)), i8);
  Value low = node.two(NPU_INSTR_sub,
                       node.two(NPU_INSTR_bit_and, x, node.number32(255)),
                       node.number32(128));
  Value highSum = sum(high, weight, Value(), 0);
  Value lowSum = sum(node.cast(low, i8), weight, Value(), -128);
  if (!highSum || !lowSum)
    return Value();
  return node.two(NPU_INSTR_add,
                  node.two(NPU_INSTR_mul, node.cast(highSum, element),
                           node.scalar(256, element)),
                  node.cast(lowSum, element));
}

static LogicalResult
setShortProduct(TfliteNode &node, const TfliteProduct &product,
                const SumScale &scale, tflite::Activation activation,
                SumBuilder sum, function_ref<Value(Value)> finish) {
  if (scale.weightZero != 0 || !isByte(elementOf(product.weight)))
    return node.unsupported("multiplies i16 by " +
                            typeText(elementOf(product.weight)) +
                            ", expected i8 with the zero point 0");
  // LiteRT sums in as many bits as the bias has.
  bool isLong = !product.bias || elementOf(product.bias).isInteger(64);
  Type element = isLong ? Type(node.getBuilder().getI64Type()) : node.i32();
  Value total = sumOfHalves(node, product, product.weight, element, sum);
  total = total ? finish(total) : total;
  if (total && product.bias)
    total = node.two(NPU_INSTR_add, total, node.cast(product.bias, element));
  if (!isLong)
    return node.setQuantized(
        node.scaled(total, scale.factors, product.rounding), activation);
  // Bounded before it is narrowed: more than 16 bits are out of range anyhow.
  Value scaled = node.eltwise(
      NPU_INSTR_clip, {scaledLong(node, total, scale.factors)}, -65536, 65536);
  return node.setQuantized(node.cast(scaled, node.i32()), activation);
}

LogicalResult npu::setProduct(TfliteNode &node, TfliteProduct product,
                              tflite::Activation activation, SumBuilder sum,
                              function_ref<Value(Value)> finish) {
  if (!product.data || !product.weight)
    return node.hasFailed() ? failure() : node.error("has no data or weight");
  if (isa<mlir::FloatType>(elementOf(product.data))) {
    Value result =
        sum(product.data, product.weight,
            product.bias ? node.cast(product.bias, node.f32()) : Value(), 0);
    result = result ? finish(result) : result;
    return node.setResult(result ? node.activated(result, activation) : result);
  }
  FailureOr<SumScale> scale = scaleOfSum(node, product);
  if (failed(scale))
    return failure();
  if (elementOf(product.data).isInteger(16))
    return setShortProduct(node, product, *scale, activation, sum, finish);
  if (!isByte(elementOf(product.data)) || !isByte(elementOf(product.weight)))
    return node.unsupported("multiplies " + typeText(elementOf(product.data)) +
                            " by " + typeText(elementOf(product.weight)) +
                            ", expected floats, i8 by i8, or i16 by i8");
  Value weight = withoutZero(node, product.weight, scale->weightZero);
  Value data = product.data;
  int64_t zero = scale->dataZero;
  if (weight && !isByte(elementOf(weight))) {
    data = node.centered(data, zero);
    zero = 0;
  }
  Value result = sum(data, weight, product.bias, zero);
  result = result ? finish(result) : result;
  if (!result)
    return failure();
  return node.setQuantized(
      node.scaled(result, scale->factors, product.rounding), activation);
}
