// SPDX-License-Identifier: Apache-2.0
//
// Products of matrices.
#include "compiler/Frontend/TFLite/TfliteOps.h"
#include "compiler/Frontend/TFLite/TfliteWindow.h"

#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/Support/IntegerScale.h"

using namespace npu;

/// Rows of data times rows of weights, as a convolution of one place each: so
/// the data keep their zero point.
static Value rowsTimesRows(TfliteNode &node, Value data, Value weight,
                           Value bias, int64_t zero) {
  auto asImage = [&](Value rows) {
    return node.reshape(rows, {shapeOf(rows)[0], shapeOf(rows)[1], 1, 1});
  };
  Convolution conv;
  conv.data = asImage(data);
  conv.weight = asImage(weight);
  conv.bias = bias;
  conv.dataZeroPoint = zero;
  conv.strides = conv.dilations = {1, 1};
  conv.pads = {0, 0, 0, 0};
  return convolve(node, conv);
}

/// The sums are rounded once, other than in convolutions.
LogicalResult npu::buildTfliteFullyConnected(TfliteNode &node) {
  const auto *options = node.op.options<tflite::FullyConnectedOptions>();
  if (options && options->weights_format() != 0)
    return node.unsupported("has weights in blocks, expected rows");
  Value data = node.input(0), weight = node.input(1);
  if (!data || !weight)
    return node.hasFailed() ? failure() : node.error("has no data or weight");
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
  product.data = node.reshape(data, {rows, depth});
  product.weight =
      isa<mlir::FloatType>(elementOf(data)) ? tfliteFloats(node, 1) : weight;
  product.bias = node.input(2);
  product.isFactorFloat = true;
  product.rounding = Rounding::Once;
  return setProduct(
      node, product, options ? options->activation() : tflite::Activation::NONE,
      [&](Value x, Value w, Value bias, int64_t zero) {
        return rowsTimesRows(node, x, w, bias, zero);
      },
      [&](Value sum) { return node.reshape(sum, shape); });
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

LogicalResult npu::buildTfliteBatchMatMul(TfliteNode &node) {
  const auto *options = node.op.options<tflite::BatchMatMulOptions>();
  Value a = node.input(0), b = node.input(1);
  if (!a || !b || rankOf(a) < 2 || rankOf(b) < 2)
    return node.hasFailed()
               ? failure()
               : node.error("multiplies no matrices, expected two dimensions "
                            "or more");
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
  if (!isByte(elementOf(a)) || !isByte(elementOf(b)))
    return node.unsupported("multiplies " + typeText(elementOf(a)) + " by " +
                            typeText(elementOf(b)) +
                            ", expected floats, or i8 by i8");
  Ints batches(ArrayRef(*shape).drop_back(2));
  Value sum =
      integerProduct(node, inOneBatch(node, a, batches), left->zeroPoint(),
                     inOneBatch(node, b, batches), right->zeroPoint());
  double factor =
      double(float(left->scale()) * float(right->scale())) / result->scale();
  return node.setQuantized(
      node.scaled(node.reshape(sum, *shape), factor, Rounding::Twice),
      tflite::Activation::NONE);
}
