// SPDX-License-Identifier: Apache-2.0
//
// Convolutions and matrix products.
#include "compiler/Frontend/TOSA/TosaOps.h"

#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/TOSA/TosaWindow.h"

using namespace npu;

static Type i32(TosaNode &node) { return node.getBuilder().getI32Type(); }

Value npu::channelsFirst(TosaNode &node, Value value) {
  Ints order{0, rankOf(value) - 1};
  order.append(countFrom(1, rankOf(value) - 1));
  return node.transpose(value, order);
}

Value npu::channelsLast(TosaNode &node, Value value) {
  if (!value)
    return value;
  Ints order{0};
  order.append(countFrom(2, rankOf(value)));
  order.push_back(1);
  return node.transpose(value, order);
}

Ints npu::padsFromPairs(ArrayRef<int64_t> pairs) {
  size_t spatial = pairs.size() / 2;
  Ints pads(pairs.size());
  for (size_t i = 0; i < spatial; ++i) {
    pads[i] = pairs[2 * i];
    pads[spatial + i] = pairs[2 * i + 1];
  }
  return pads;
}

template <typename OpTy>
static Value createConv(TosaNode &node, const TosaConv &conv,
                        ArrayRef<int64_t> shape) {
  OpBuilder &builder = node.getBuilder();
  Type element = elementOf(conv.data);
  return node.create<OpTy>(
      shape, isByte(element) ? i32(node) : element, conv.data, conv.weight,
      conv.bias, node.intArray(conv.strides), node.intArray(conv.pads),
      node.intArray(conv.dilations), builder.getI64IntegerAttr(conv.groups),
      builder.getI64IntegerAttr(conv.dataZeroPoint));
}

Value npu::convolve(TosaNode &node, const TosaConv &conv) {
  if (!conv.data || !conv.weight)
    return Value();
  std::string reason;
  FailureOr<shapes::Shape> shape =
      shapes::conv(shapeOf(conv.data), shapeOf(conv.weight), conv.strides,
                   conv.dilations, conv.pads, conv.groups, reason);
  if (failed(shape))
    return node.fail(reason);
  return rankOf(conv.data) == 4 ? createConv<Conv2dOp>(node, conv, *shape)
                                : createConv<Conv3dOp>(node, conv, *shape);
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
static LogicalResult setOperands(TosaNode &node, TosaConv &conv, Value data,
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
  std::optional<int64_t> dataZero = node.constantInt(node.getInput(3));
  std::optional<int64_t> weightZero = node.constantInt(node.getInput(4));
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
  TosaConv conv;
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
  TosaConv conv;
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
  std::string reason;
  FailureOr<shapes::Shape> shape = shapes::convTranspose(
      shapeOf(conv.data), shapeOf(conv.weight), conv.strides, conv.dilations,
      conv.pads, conv.groups, reason);
  if (failed(shape))
    return node.error(reason);
  Value bias = conv.bias;
  bool isPadded = llvm::any_of(rest, [](int64_t amount) { return amount > 0; });
  if (isPadded)
    conv.bias = Value();
  Value sum = createConv<ConvTranspose2dOp>(node, conv, *shape);
  if (isPadded) {
    Ints pads{0, 0, rest[0], rest[1], 0, 0, rest[2], rest[3]};
    Value bySpace = node.reshape(bias, {shapeOf(bias)[0], 1, 1});
    sum = node.eltwise(NPU_INSTR_add,
                       {node.pad(sum, pads, PadMode::Constant, 0), bySpace});
  }
  return node.setResult(
      channelsLast(node, node.cast(sum, node.resultElement())));
}

/// (a - aZero) times (b - bZero) from the product of the bytes.
static Value integerProduct(TosaNode &node, Value a, int64_t aZero, Value b,
                            int64_t bZero) {
  auto two = [&](npu_instr_kind kind, Value x, Value y) {
    return node.eltwise(kind, {x, y});
  };
  auto number = [&](int64_t value) {
    return node.scalar(double(value), i32(node));
  };
  Value product = node.matmul(a, b);
  if (aZero != 0) {
    Value columns =
        node.reduce(node.cast(b, i32(node)), ReduceKind::Sum, {1}, true);
    product =
        two(NPU_INSTR_sub, product, two(NPU_INSTR_mul, columns, number(aZero)));
  }
  if (bZero != 0) {
    Value rows =
        node.reduce(node.cast(a, i32(node)), ReduceKind::Sum, {2}, true);
    product =
        two(NPU_INSTR_sub, product, two(NPU_INSTR_mul, rows, number(bZero)));
  }
  if (aZero != 0 && bZero != 0)
    product =
        two(NPU_INSTR_add, product, number(shapeOf(a)[2] * aZero * bZero));
  return product;
}

LogicalResult npu::buildTosaMatMul(TosaNode &node) {
  Value a = node.getInput(0), b = node.getInput(1);
  Type result = node.resultElement();
  if (isa<mlir::FloatType>(result))
    return node.setResult(
        node.matmul(node.cast(a, result), node.cast(b, result)));
  std::optional<int64_t> aZero = node.constantInt(node.getInput(2));
  std::optional<int64_t> bZero = node.constantInt(node.getInput(3));
  if (!isByte(elementOf(a)) || !isByte(elementOf(b)) || !aZero || !bZero)
    return node.unsupported("multiplies " + typeText(node.sourceElement(0)) +
                            " by " + typeText(node.sourceElement(1)) +
                            ", expected floats, or i8 by i8 with constant zero "
                            "points");
  return node.setResult(integerProduct(node, a, *aZero, b, *bZero));
}
