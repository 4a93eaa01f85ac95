// SPDX-License-Identifier: Apache-2.0
//
// Convolutions.
#include "compiler/Frontend/TFLite/TfliteOps.h"
#include "compiler/Frontend/TFLite/TfliteWindow.h"

#include "compiler/Dialect/NPU/ShapeInference.h"

using namespace npu;

/// Data and weights of a rank, the weights as the numbers that they stand for
/// where the data are floats.
static FailureOr<TfliteProduct> readOperands(TfliteNode &node, int64_t rank,
                                             size_t data, size_t weight,
                                             size_t bias) {
  TfliteProduct product;
  product.dataIndex = data;
  product.weightIndex = weight;
  product.data = node.input(data);
  product.weight = node.input(weight);
  product.bias = node.optionalInput(bias);
  if (!product.data || !product.weight)
    return failure();
  if (rankOf(product.data) != rank || rankOf(product.weight) != rank)
    return node.error("found data " + shapes::text(shapeOf(product.data)) +
                      " and weight " + shapes::text(shapeOf(product.weight)) +
                      ", expected " + Twine(rank) + " dimensions");
  if (isa<mlir::FloatType>(elementOf(product.data)))
    product.weight = tfliteFloats(node, weight);
  return product;
}

/// Sets the result of a convolution that `sum` makes; data has channels last,
/// weight is in the dialect's order.
static LogicalResult setSum(TfliteNode &node, TfliteProduct product,
                            Convolution conv, tflite::Activation activation,
                            function_ref<Value(const Convolution &)> sum) {
  product.data = channelsFirst(node, product.data);
  auto channelsLastSum = [&](Value data, Value weight, Value bias,
                             int64_t zeroPoint) {
    conv.data = data;
    conv.weight = weight;
    conv.bias = bias;
    conv.dataZeroPoint = zeroPoint;
    return channelsLast(node, sum(conv));
  };
  return node.setResult(
      tfliteProduct(node, product, activation, channelsLastSum));
}

static LogicalResult setConvolution(TfliteNode &node,
                                    const TfliteProduct &product,
                                    Convolution conv, tflite::Padding padding,
                                    tflite::Activation activation) {
  if (!product.weight)
    return failure();
  conv.pads = tflitePads(shapeOf(product.data).drop_front().drop_back(),
                         shapeOf(product.weight).drop_front(2), conv.strides,
                         conv.dilations, padding);
  return setSum(node, product, conv, activation,
                [&](const Convolution &made) { return convolve(node, made); });
}

template <typename Options>
static Convolution imageWindow(const Options &options) {
  Convolution conv;
  conv.strides = {options.stride_h(), options.stride_w()};
  conv.dilations = {options.dilation_h(), options.dilation_w()};
  return conv;
}

LogicalResult npu::buildTfliteConv(TfliteNode &node) {
  if (node.op.kind() == tflite::BuiltinOperator::CONV_3D) {
    const auto *options = node.options<tflite::Conv3DOptions>();
    FailureOr<TfliteProduct> product = readOperands(node, 5, 0, 1, 2);
    if (failed(product) || !options)
      return failure();
    product->weight = node.transpose(product->weight, {4, 3, 0, 1, 2});
    Convolution conv;
    conv.strides = {options->stride_d(), options->stride_h(),
                    options->stride_w()};
    conv.dilations = {options->dilation_d(), options->dilation_h(),
                      options->dilation_w()};
    return setConvolution(node, *product, conv, options->padding(),
                          options->activation());
  }
  const auto *options = node.options<tflite::Conv2DOptions>();
  FailureOr<TfliteProduct> product = readOperands(node, 4, 0, 1, 2);
  if (failed(product) || !options)
    return failure();
  Convolution conv = imageWindow(*options);
  int64_t channels = shapeOf(product->data)[3],
          each = shapeOf(product->weight)[3];
  if (each == 0 || channels % each != 0)
    return node.error("found data " + shapes::text(shapeOf(product->data)) +
                      " and weight " + shapes::text(shapeOf(product->weight)) +
                      ", whose channels do not fit");
  conv.groups = channels / each;
  product->weight = channelsFirst(node, product->weight);
  return setConvolution(node, *product, conv, options->padding(),
                        options->activation());
}

LogicalResult npu::buildTfliteDepthwiseConv(TfliteNode &node) {
  const auto *options = node.options<tflite::DepthwiseConv2DOptions>();
  FailureOr<TfliteProduct> product = readOperands(node, 4, 0, 1, 2);
  if (failed(product) || !options)
    return failure();
  Convolution conv = imageWindow(*options);
  conv.groups = shapeOf(product->data)[3];
  product->weight = node.transpose(product->weight, {3, 0, 1, 2});
  return setConvolution(node, *product, conv, options->padding(),
                        options->activation());
}

/// How one dimension of a transposed convolution's image is cut to the result.
static void cut(int64_t input, int64_t kernel, int64_t stride, int64_t result,
                int64_t before, Convolution &conv, Ints &added, size_t dim) {
  int64_t after = (input - 1) * stride + kernel - before - result;
  conv.pads[dim] = before;
  conv.pads[dim + 2] = std::max<int64_t>(after, 0);
  added[dim + 2] = std::max<int64_t>(-after, 0);
}

/// A transposed convolution that gives an image of this size, whose padding
/// begins with `before`; weight is in the file's order.
static LogicalResult setTransposed(TfliteNode &node, TfliteProduct product,
                                   ArrayRef<int64_t> strides,
                                   ArrayRef<int64_t> before,
                                   ArrayRef<int64_t> size,
                                   tflite::Activation activation) {
  Convolution conv;
  conv.strides.assign(strides.begin(), strides.end());
  conv.dilations = {1, 1};
  conv.pads = {0, 0, 0, 0};
  Ints added{0, 0, 0, 0};
  for (size_t dim : {0, 1})
    cut(shapeOf(product.data)[dim + 1], shapeOf(product.weight)[dim + 1],
        strides[dim], size[dim], before[dim], conv, added, dim);
  product.weight = channelsFirst(node, product.weight);
  return setSum(node, product, conv, activation, [&](const Convolution &made) {
    return convolveTransposed(node, made, added);
  });
}

LogicalResult npu::buildTfliteTransposeConv(TfliteNode &node) {
  const auto *options = node.options<tflite::TransposeConvOptions>();
  FailureOr<TfliteProduct> product = readOperands(node, 4, 2, 1, 3);
  FailureOr<Ints> shape = node.numbers(0, "a shape");
  if (failed(product) || failed(shape) || !options)
    return failure();
  if (shape->size() != 4 ||
      llvm::any_of(*shape, [](int64_t extent) { return extent < 1; }))
    return node.error("gives " + shapes::text(*shape) +
                      ", expected an image of four extents above 0");
  Ints strides{options->stride_h(), options->stride_w()};
  ArrayRef<int64_t> size = ArrayRef(*shape).slice(1, 2);
  Ints pads = tflitePads(size, shapeOf(product->weight).slice(1, 2), strides,
                         {1, 1}, options->padding());
  return setTransposed(node, *product, strides, pads, size,
                       options->activation());
}

/// MediaPipe's, whose options are three numbers of 32 bits: the padding (1 is
/// SAME, 2 is VALID), and the strides along the width and the height.
LogicalResult npu::buildTfliteTransposeConvBias(TfliteNode &node) {
  FailureOr<TfliteProduct> product = readOperands(node, 4, 0, 1, 2);
  if (failed(product))
    return failure();
  const auto *options = node.op.source.custom_options();
  if (!options || options->size() < 12)
    return node.error("has " + Twine(options ? options->size() : 0) +
                      " bytes of options, expected 12 or more");
  auto number = [&](size_t place) {
    return int64_t(
        flatbuffers::ReadScalar<int32_t>(options->data() + 4 * place));
  };
  Ints strides{number(2), number(1)}, before, size;
  bool isSame = number(0) == 1;
  if ((!isSame && number(0) != 2) || strides[0] < 1 || strides[1] < 1)
    return node.error("has the padding " + Twine(number(0)) + " and strides " +
                      shapes::text(strides) +
                      ", expected 1 or 2, and strides above 0");
  for (size_t dim : {0, 1}) {
    int64_t extent = shapeOf(product->data)[dim + 1],
            kernel = shapeOf(product->weight)[dim + 1],
            last = (extent - 1) * strides[dim];
    int64_t pads =
        isSame ? std::max<int64_t>(0, kernel - (extent - 1) % strides[dim] - 1)
               : 0;
    size.push_back(last + kernel - pads);
    before.push_back(pads / 2);
  }
  return setTransposed(node, *product, strides, before, size,
                       tflite::Activation::NONE);
}
