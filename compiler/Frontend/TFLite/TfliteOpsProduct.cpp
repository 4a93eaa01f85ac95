// SPDX-License-Identifier: Apache-2.0
//
// Products of matrices.
#include "compiler/Frontend/TFLite/TfliteOps.h"
#include "compiler/Frontend/TFLite/TfliteWindow.h"

#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/Support/IntegerScale.h"

using namespace npu;

Value npu::tfliteRowsTimesRows(TfliteNode &node, Value data, Value weight,
                               Value bias, int64_t zeroPoint) {
  Convolution conv;
  conv.data = channelsFirst(node, data);
  conv.weight =
      node.reshape(weight, {shapeOf(weight)[0], shapeOf(weight)[1], 1, 1});
  conv.bias = bias;
  conv.dataZeroPoint = zeroPoint;
  conv.strides = conv.dilations = {1, 1};
  conv.pads = {0, 0, 0, 0};
  return channelsLast(node, convolve(node, conv));
}

/// The sums are rounded once, other than in convolutions.
LogicalResult npu::buildTfliteFullyConnected(TfliteNode &node) {
  const auto *options = node.op.options<tflite::FullyConnectedOptions>();
  if (options && options->weights_format() != 0)
    return node.unsupported("has weights in blocks, expected rows");
  Value data = node.input(0), weight = node.input(1);
  if (!data || !weight)
    return failure();
  if (rankOf(weight) != 2 || shapeOf(weight)[1] == 0 ||
      tensorType(data).getNumElements() % shapeOf(weight)[1] != 0)
    return node.error("found data " + shapes::text(shapeOf(data)) +
                      " and weight " + shapes::text(shapeOf(weight)) +
                      ", expected (..., K) and (M, K)");
  int64_t depth = shapeOf(weight)[1],
          rows = tensorType(data).getNumElements() / depth;
  Ints shape{rows, shapeOf(weight)[0]};
  if (options && options->keep_num_dims() && rankOf(data) > 0) {
    shape.assign(shapeOf(data).begin(), shapeOf(data).end());
    shape.back() = shapeOf(weight)[0];
  }
  TfliteProduct product;
  product.data = node.reshape(data, {rows, 1, 1, depth});
  product.weight =
      isa<mlir::FloatType>(elementOf(data)) ? tfliteFloats(node, 1) : weight;
  product.bias = node.optionalInput(2);
  product.rounding = Rounding::HalfUp;
  Value result = tfliteProduct(
      node, product, options ? options->activation() : tflite::Activation::NONE,
      [&](Value x, Value w, Value bias, int64_t zero) {
        return tfliteRowsTimesRows(node, x, w, bias, zero);
      });
  return node.setResult(node.reshape(result, shape));
}

/// The matrices with their last dimensions swapped where the options say so.
static Value matrices(TfliteNode &node, Value value, bool isSwapped) {
  if (!isSwapped)
    return value;
  Ints order = countFrom(0, rankOf(value));
  std::swap(order[rankOf(value) - 2], order[rankOf(value) - 1]);
  return node.transpose(value, order);
}

/// Batches of both, which broadcast, as one dimension: (B, rows, columns).
static Value inOneBatch(TfliteNode &node, Value value,
                        ArrayRef<int64_t> batches) {
  Ints whole(batches);
  whole.append(shapeOf(value).take_back(2).begin(),
               shapeOf(value).take_back(2).end());
  Value all = node.broadcast(value, whole);
  int64_t count = 1;
  for (int64_t extent : batches)
    count *= extent;
  return node.reshape(all, {count, whole[whole.size() - 2], whole.back()});
}

/// The product of numbers of 16 bits from those of their halves, in 64 bits.
static Value shortProduct(TfliteNode &node, Value a, Value b) {
  Type i64 = node.getBuilder().getI64Type();
  TfliteHalves left = tfliteHalves(node, a), right = tfliteHalves(node, b);
  constexpr int64_t zero = TfliteHalves::lowZero;
  auto part = [&](Value x, int64_t xZero, Value y, int64_t yZero,
                  int64_t unit) {
    Value product = node.cast(integerProduct(node, x, xZero, y, yZero), i64);
    return node.two(NPU_INSTR_mul, product, node.scalar(double(unit), i64));
  };
  Value high = part(left.high, 0, right.high, 0, 65536);
  Value middle =
      node.two(NPU_INSTR_add, part(left.high, 0, right.low, zero, 256),
               part(left.low, zero, right.high, 0, 256));
  Value low = part(left.low, zero, right.low, zero, 1);
  return node.two(NPU_INSTR_add, node.two(NPU_INSTR_add, high, middle), low);
}

LogicalResult npu::buildTfliteBatchMatMul(TfliteNode &node) {
  const auto *options = node.op.options<tflite::BatchMatMulOptions>();
  Value a = node.input(0), b = node.input(1);
  if (!a || !b)
    return failure();
  if (rankOf(a) < 2 || rankOf(b) < 2)
    return node.error("multiplies " + shapes::text(shapeOf(a)) + " by " +
                      shapes::text(shapeOf(b)) + ", expected matrices");
  bool isFloat = isa<mlir::FloatType>(elementOf(a));
  if (isFloat)
    b = tfliteFloats(node, 1);
  if (!b)
    return failure();
  a = matrices(node, a, options && options->adj_x());
  b = matrices(node, b, options && options->adj_y());
  std::string reason;
  FailureOr<shapes::Shape> shape =
      shapes::matmul(shapeOf(a), shapeOf(b), reason);
  if (failed(shape))
    return node.error(reason);
  if (isFloat)
    return node.setResult(node.matmul(a, b));
  FailureOr<TfliteScale> left = node.inputScale(0), right = node.inputScale(1),
                         result = node.resultScale();
  if (failed(left) || failed(right) || failed(result))
    return failure();
  if (elementOf(a) != elementOf(b))
    return node.unsupported("multiplies " + typeText(elementOf(a)) + " by " +
                            typeText(elementOf(b)) +
                            ", expected floats, i8 by i8, or i16 by i16");
  Ints batches(ArrayRef(*shape).drop_back(2));
  a = inOneBatch(node, a, batches);
  b = inOneBatch(node, b, batches);
  double factor =
      double(float(left->scale()) * float(right->scale())) / result->scale();
  if (isByte(elementOf(a)))
    return node.setRequantized(
        node.reshape(
            integerProduct(node, a, left->zeroPoint(), b, right->zeroPoint()),
            *shape),
        factor, tflite::Activation::NONE);
  Value product = node.reshape(shortProduct(node, a, b), *shape);
  return node.setQuantized(tfliteScaledLong(node, product, factor),
                           tflite::Activation::NONE);
}
