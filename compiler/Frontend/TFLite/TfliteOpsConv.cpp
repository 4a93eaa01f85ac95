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
  Convolution conv;
  conv.strides = {options->stride_h(), options->stride_w()};
  conv.dilations = {1, 1};
  conv.pads = {0, 0, 0, 0};
  Ints added{0, 0, 0, 0};
  ArrayRef<int64_t> kernel = shapeOf(product->weight).slice(1, 2);
  Ints pads = tflitePads(ArrayRef(*shape).slice(1, 2), kernel, conv.strides,
                         conv.dilations, options->padding());
  for (size_t dim : {0, 1})
    cut(shapeOf(product->data)[dim + 1], kernel[dim], conv.strides[dim],
        (*shape)[dim + 1], pads[dim], conv, added, dim);
  product->weight = channelsFirst(node, product->weight);
  return setSum(node, *product, conv, options->activation(),
                [&](const Convolution &made) {
                  return convolveTransposed(node, made, added);
                });
}
