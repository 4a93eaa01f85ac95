// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/TFLite/TfliteWindow.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"
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
  FailureOr<TfliteScale> data = node.factorScale(product.dataIndex),
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
    scale.factors.push_back(data->scale() * double(one) / result->scale());
  }
  return scale;
}

Value npu::tfliteScaledLong(TfliteNode &node, Value sum,
                            ArrayRef<double> factors) {
  auto ofShortBits = [](double factor) {
    TfliteMultiplier found = multiplierOf(factor);
    int32_t number = found.multiplier < 0x7fff0000
                         ? (found.multiplier + (1 << 15)) >> 16
                         : 0x7fff;
    return TfliteMultiplier{number, found.shift - 16};
  };
  Value scaled = node.scaledBy(sum, llvm::map_to_vector(factors, ofShortBits),
                               Rounding::HalfUp);
  return node.cast(node.eltwise(NPU_INSTR_clip, {scaled}, -65536, 65536),
                   node.i32());
}

TfliteHalves npu::tfliteHalves(TfliteNode &node, Value value) {
  Type i8 = node.getBuilder().getIntegerType(8);
  Value x = node.cast(value, node.i32());
  Value high = node.two(NPU_INSTR_shift_right, x, node.number32(8));
  Value low = node.two(NPU_INSTR_sub,
                       node.two(NPU_INSTR_bit_and, x, node.number32(255)),
                       node.number32(-TfliteHalves::lowZero));
  return {node.cast(high, i8), node.cast(low, i8)};
}

static Value sumOfHalves(TfliteNode &node, const TfliteProduct &product,
                         Type element, TfliteSum sum) {
  TfliteHalves halves = tfliteHalves(node, product.data);
  Value high = sum(halves.high, product.weight, Value(), 0);
  Value low = sum(halves.low, product.weight, Value(), TfliteHalves::lowZero);
  if (!high || !low)
    return Value();
  return node.two(NPU_INSTR_add,
                  node.two(NPU_INSTR_mul, node.cast(high, element),
                           node.scalar(256, element)),
                  node.cast(low, element));
}

/// Sums of 64 bits times one factor of 31 bits, halves upwards, as LiteRT's
/// FULLY_CONNECTED has it: the factor's halves apart, as the whole product may
/// take more than 64 bits.
static Value scaledLongOnce(TfliteNode &node, Value sum, double factor) {
  TfliteMultiplier found = multiplierOf(factor);
  if (found.shift < 17) {
    (void)node.unsupported("scales sums of 64 bits by 2^14 or more");
    return Value();
  }
  Type i64 = node.getBuilder().getI64Type();
  auto number = [&](int64_t value) {
    return node.constant(
        mlir::DenseElementsAttr::get(RankedTensorType::get({}, i64), value));
  };
  Value low =
      node.two(NPU_INSTR_add,
               node.two(NPU_INSTR_mul, sum, number(found.multiplier & 0xffff)),
               number(int64_t(1) << (found.shift - 1)));
  Value high = node.two(NPU_INSTR_mul, sum, number(found.multiplier >> 16));
  Value whole = node.two(NPU_INSTR_add, high,
                         node.two(NPU_INSTR_shift_right, low, number(16)));
  Value scaled =
      node.two(NPU_INSTR_shift_right, whole, number(found.shift - 16));
  return node.cast(node.eltwise(NPU_INSTR_clip, {scaled}, -65536, 65536),
                   node.i32());
}

/// Whether sums of products of numbers of 16 bits, with the bias, fit 32 bits,
/// and what their factors make of them.
static bool fits32Bits(const TfliteProduct &product, ArrayRef<double> factors) {
  int64_t count = tensorType(product.weight).getNumElements();
  if (count == 0)
    return true;
  ElementsAttr weight = constantOf(product.weight);
  // Magnitudes of a channel's weights; of those that data decide the largest.
  int64_t magnitudes =
      weight ? int64_t(largestMagnitudeSum(weight,
                                           [](int64_t dim) { return dim > 0; }))
             : count / shapeOf(product.weight)[0] << 7;
  int64_t most = magnitudes << 15;
  if (product.bias) {
    ElementsAttr bias = constantOf(product.bias);
    if (!bias)
      return false;
    int64_t largest = 0;
    for (int64_t number : elementInts(bias))
      largest = std::max(largest, number < 0 ? -number : number);
    most += std::min(largest, int64_t(1) << 40);
  }
  return most < int64_t(1) << 31 &&
         llvm::all_of(factors, [](double factor) { return factor < 1; });
}

static Value shortProduct(TfliteNode &node, const TfliteProduct &product,
                          const SumScale &scale, tflite::Activation activation,
                          TfliteSum sum) {
  if (scale.weightZero != 0 || !isByte(elementOf(product.weight))) {
    (void)node.unsupported("multiplies i16 by " +
                           typeText(elementOf(product.weight)) +
                           ", expected i8 with the zero point 0");
    return Value();
  }
  // LiteRT sums in as many bits as the bias has, and its FULLY_CONNECTED's
  // factor is the same for both.
  bool isOnce = product.rounding == Rounding::HalfUp;
  bool isLong = !product.bias || elementOf(product.bias).isInteger(64);
  bool fits = !isLong || fits32Bits(product, scale.factors);
  Type element = fits ? node.i32() : Type(node.getBuilder().getI64Type());
  Value total = sumOfHalves(node, product, element, sum);
  if (total && product.bias)
    total = node.two(NPU_INSTR_add, total, node.cast(product.bias, element));
  if (!total)
    return total;
  if (!fits && isOnce && scale.factors.size() > 1) {
    (void)node.unsupported("sums i16 in 64 bits with a scale for each channel");
    return Value();
  }
  if (!isLong || (isOnce && fits))
    return node.requantized(total,
                            llvm::map_to_vector(scale.factors, multiplierOf),
                            product.rounding, activation);
  Value scaled = isOnce ? scaledLongOnce(node, total, scale.factors.front())
                        : tfliteScaledLong(node, total, scale.factors);
  return scaled ? node.quantized(scaled, activation) : scaled;
}

Value npu::tfliteProduct(TfliteNode &node, const TfliteProduct &product,
                         tflite::Activation activation, TfliteSum sum) {
  if (!product.data || !product.weight)
    return Value();
  Type element = elementOf(product.data), weights = elementOf(product.weight);
  if (isa<mlir::FloatType>(element)) {
    Value bias = product.bias ? node.cast(product.bias, element) : Value();
    Value result = sum(product.data, product.weight, bias, 0);
    return result ? node.activated(result, activation) : result;
  }
  FailureOr<SumScale> scale = scaleOfSum(node, product);
  if (failed(scale))
    return Value();
  if (element.isInteger(16))
    return shortProduct(node, product, *scale, activation, sum);
  if (!isByte(element) || !isByte(weights)) {
    (void)node.unsupported("multiplies " + typeText(element) + " by " +
                           typeText(weights) +
                           ", expected floats, i8 by i8, or i16 by i8");
    return Value();
  }
  Value weight = withoutZero(node, product.weight, scale->weightZero);
  Value data = product.data;
  int64_t zero = scale->dataZero;
  if (weight && !isByte(elementOf(weight))) {
    data = node.centered(data, zero);
    zero = 0;
  }
  Value result = sum(data, weight, product.bias, zero);
  if (!result)
    return result;
  return node.requantized(result,
                          llvm::map_to_vector(scale->factors, multiplierOf),
                          product.rounding, activation);
}
