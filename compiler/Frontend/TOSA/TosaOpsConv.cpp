// SPDX-License-Identifier: Apache-2.0
//
// Convolutions and matrix products.
#include "compiler/Frontend/TOSA/TosaOps.h"

#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/Support/IntegerScale.h"
#include "compiler/Frontend/Support/Windows.h"
#include "compiler/Frontend/TOSA/TosaWindow.h"

using namespace npu;

static Type i32(TosaNode &node) { return node.getBuilder().getI32Type(); }

Ints npu::padsFromPairs(ArrayRef<int64_t> pairs) {
  size_t spatial = pairs.size() / 2;
  Ints pads(pairs.size());
  for (size_t i = 0; i < spatial; ++i) {
    pads[i] = pairs[2 * i];
    pads[spatial + i] = pairs[2 * i + 1];
  }
  return pads;
}

/// One number for all channels; none where nothing else is asked for.
static Value wholeBias(TosaNode &node, Value bias, int64_t outputs) {
  if (shapeOf(bias)[0] == outputs)
    return bias;
  if (shapeOf(bias)[0] == 1)
    return node.broadcast(bias, {outputs});
  return node.fail("found a bias of " + Twine(shapeOf(bias)[0]) +
                   " numbers, expected " + Twine(outputs) +
                   ", one for each output channel");
}

/// Sets the operands; zero points that are no constant number, or of the
/// weight, are subtracted in i32.
static LogicalResult setOperands(TosaNode &node, Convolution &conv, Value data,
                                 Value weight) {
  Type sum = node.resultElement();
  conv.data = data;
  conv.weight = weight;
  if (!data || !weight)
    return failure();
  conv.bias = wholeBias(node, node.getInput(2), shapeOf(weight)[0]);
  if (!conv.bias)
    return failure();
  if (isa<mlir::FloatType>(sum)) {
    // The sum may be wider than the data.
    conv.data = node.cast(data, sum);
    conv.weight = node.cast(weight, sum);
    conv.bias = node.cast(conv.bias, sum);
    return success();
  }
  if (!isByte(elementOf(data)) || !isByte(elementOf(weight)))
    return node.unsupported("convolves " + typeText(node.sourceElement(0)) +
                            " by " + typeText(node.sourceElement(1)) +
                            ", expected floats, or i8 by i8");
  std::optional<int64_t> dataZero = constantInt(node.getInput(3));
  std::optional<int64_t> weightZero = constantInt(node.getInput(4));
  if (dataZero && weightZero == 0) {
    conv.dataZeroPoint = *dataZero;
    return success();
  }
  auto centered = [&](Value value, Value zero) {
    Value wide = node.cast(value, i32(node));
    return node.eltwise(NPU_INSTR_sub,
                        {wide, node.reshape(node.cast(zero, i32(node)), {})});
  };
  conv.data = centered(data, node.getInput(3));
  conv.weight = centered(weight, node.getInput(4));
  return success(conv.data && conv.weight);
}

/// (KH, KW, C, M) to (C * M, 1, KH, KW).
static Value depthwiseWeight(TosaNode &node, Value weight) {
  ArrayRef<int64_t> shape = shapeOf(weight);
  Ints merged{shape[2] * shape[3], 1, shape[0], shape[1]};
  return node.reshape(node.transpose(weight, {2, 3, 0, 1}), merged);
}

LogicalResult npu::buildTosaConv(TosaNode &node) {
  Value data = node.getInput(0), weight = node.getInput(1);
  bool isDepthwise = StringRef(node.row.word) == "depthwise";
  Convolution conv;
  conv.strides = node.getInts("stride");
  conv.dilations = node.getInts("dilation");
  conv.pads = padsFromPairs(node.getInts("pad"));
  if (isDepthwise) {
    conv.groups = shapeOf(data).back();
    if (shapeOf(weight)[2] != conv.groups)
      return node.error("found data " + shapes::text(shapeOf(data)) +
                        " and weight " + shapes::text(shapeOf(weight)) +
                        ", expected as many channels in both");
  }
  if (failed(setOperands(node, conv, channelsFirst(node, data),
                         isDepthwise ? depthwiseWeight(node, weight)
                                     : channelsFirst(node, weight))))
    return failure();
  return node.setResult(channelsLast(
      node, node.cast(convolve(node, conv), node.resultElement())));
}

/// Result and padding of a transposed convolution. What `out_pad` adds where it
/// is positive comes afterwards.
LogicalResult npu::buildTosaTransposeConv(TosaNode &node) {
  Convolution conv;
  conv.strides = node.getInts("stride");
  conv.dilations = {1, 1};
  Ints added = padsFromPairs(node.getInts("out_pad")), rest;
  for (int64_t amount : added) {
    conv.pads.push_back(std::max<int64_t>(-amount, 0));
    rest.push_back(std::max<int64_t>(amount, 0));
  }
  if (failed(setOperands(node, conv, channelsFirst(node, node.getInput(0)),
                         channelsFirst(node, node.getInput(1)))))
    return failure();
  Value sum = convolveTransposed(node, conv, rest);
  return node.setResult(
      channelsLast(node, node.cast(sum, node.resultElement())));
}

LogicalResult npu::buildTosaMatMul(TosaNode &node) {
  Value a = node.getInput(0), b = node.getInput(1);
  Type result = node.resultElement();
  if (isa<mlir::FloatType>(result))
    return node.setResult(
        node.matmul(node.cast(a, result), node.cast(b, result)));
  std::optional<int64_t> aZero = constantInt(node.getInput(2));
  std::optional<int64_t> bZero = constantInt(node.getInput(3));
  if (!isByte(elementOf(a)) || !isByte(elementOf(b)) || !aZero || !bZero)
    return node.unsupported("multiplies " + typeText(node.sourceElement(0)) +
                            " by " + typeText(node.sourceElement(1)) +
                            ", expected floats, or i8 by i8 with constant zero "
                            "points");
  return node.setResult(integerProduct(node, a, *aZero, b, *bZero));
}
