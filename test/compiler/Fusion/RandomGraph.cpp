// SPDX-License-Identifier: Apache-2.0
#include "test/compiler/Fusion/RandomGraph.h"

#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Fusion/Rewrites.h"
#include "test/compiler/Support/RandomBuilder.h"

using namespace npu;
using rewrites::makeTranspose;
using rewrites::shapeOf;

namespace {

class Generator : test::RandomBuilder {
public:
  using RandomBuilder::RandomBuilder;

  mlir::OwningOpRef<mlir::ModuleOp> run(int steps);

private:
  Value convolution(Value data);
  Value branch(Value data, int64_t outputs, int64_t groups, int64_t stride);
  Value branches(Value data);
  Value quantizedConvolution(Value data);
  Value whole(int64_t number);
  Value quantized(Value data, float scale, int64_t zero);
  Value dequantized(Value bytes, float scale, int64_t zero);
  Value convTranspose(Value data);
  Value matmul(Value data);
  Value partsOfProduct(Value data);
  Value resized(Value data, int64_t channel);
  Value productOfResized(Value data);
  Value productOfProduct(Value data);
  Value shuffled(Value data);
  Value ofPhases(Value data);
  Value slicedWindows(Value data);
  Value productOfColumns(Value data);
  Value unary(Value data);
  Value spelledActivation(Value data);
  Value affine(Value data);
  Value residual(Value data);
  Value gate(Value data);
  Value transpose(Value data);
  Value padOrPool(Value data);
  Value concat(Value data);
  Value reduce(Value data);
  Value repeated(Value data);
  Value reshape(Value data);
};

} // namespace

Value Generator::convolution(Value data) {
  ArrayRef<int64_t> in = shapeOf(data);
  bool isDepthwise = pick(3) == 0;
  int64_t groups = isDepthwise ? in[1] : 1;
  int64_t outputs = isDepthwise ? in[1] : 1 + pick(4);
  int64_t kernel = 1 + 2 * pick(2), pad = kernel / 2;
  Value weight = constant({outputs, in[1] / groups, kernel, kernel});
  SmallVector<Value> operands = {data, weight};
  if (coin())
    operands.push_back(constant({outputs}));
  Value bias = operands.size() > 2 ? operands[2] : Value();
  return Conv2dOp::create(builder, location,
                          typeOf({in[0], outputs, in[2], in[3]}), data, weight,
                          bias, ints({1, 1}), ints({pad, pad, pad, pad}),
                          ints({1, 1}), builder.getI64IntegerAttr(groups));
}

/// A zero point.
Value Generator::whole(int64_t number) {
  auto type = RankedTensorType::get({}, builder.getI32Type());
  return ConstantOp::create(
      builder, location, type,
      mlir::DenseElementsAttr::get(type, static_cast<int32_t>(number)));
}

Value Generator::quantized(Value data, float scale, int64_t zero) {
  auto bytes =
      RankedTensorType::get(shapeOf(data), builder.getIntegerType(8, false));
  return QuantizeOp::create(builder, location, bytes, data, scalar(scale),
                            whole(zero), Rounding::HalfEven);
}

Value Generator::dequantized(Value bytes, float scale, int64_t zero) {
  return DequantizeOp::create(builder, location, typeOf(shapeOf(bytes)), bytes,
                              scalar(scale), whole(zero));
}

Value Generator::branch(Value data, int64_t outputs, int64_t groups,
                        int64_t stride) {
  ArrayRef<int64_t> in = shapeOf(data);
  const int64_t kernel = 1 + 2 * pick(2), dilation = 1 + pick(2),
                pad = kernel / 2 * dilation,
                rows = (in[2] + stride - 1) / stride,
                columns = (in[3] + stride - 1) / stride;
  return Conv2dOp::create(
      builder, location, typeOf({in[0], outputs, rows, columns}), data,
      constant({outputs, in[1] / groups, kernel, kernel}),
      coin() ? constant({outputs}) : Value(), ints({stride, stride}),
      ints({pad, pad, pad, pad}), ints({dilation, dilation}),
      builder.getI64IntegerAttr(groups));
}

/// A sum of convolutions of the same data, of multiples of it, of itself. Now
/// and then something reads one of them, too.
Value Generator::branches(Value data) {
  const int64_t channels = shapeOf(data)[1], stride = 1 + pick(4) / 3;
  const bool isDepthwise = coin(), isOwn = isDepthwise || coin();
  const int64_t outputs = isOwn ? channels : 1 + pick(4),
                groups = isDepthwise ? channels : 1;
  Value sum = branch(data, outputs, groups, stride);
  for (int64_t count = 1 + pick(3); count > 0; --count) {
    const int64_t kind = isOwn && stride == 1 ? pick(4) : 3;
    Value next =
        kind == 0   ? data
        : kind == 1 ? eltwise(NPU_INSTR_mul, {data, constant({channels, 1, 1})})
        : kind == 2 ? eltwise(NPU_INSTR_add,
                              {eltwise(NPU_INSTR_mul,
                                       {data, constant({channels, 1, 1})}),
                               constant({channels, 1, 1})})
                    : branch(data, outputs, groups, stride);
    if (pick(8) == 0)
      values.push_back(next);
    sum = coin() ? eltwise(NPU_INSTR_add, {sum, next})
                 : eltwise(NPU_INSTR_add, {next, sum});
  }
  return sum;
}

/// A convolution of bytes with what a quantizer writes around it, and a
/// residual or not. All scales are powers of two: every step is exact, so none
/// can be told from another by its rounding.
Value Generator::quantizedConvolution(Value data) {
  ArrayRef<int64_t> in = shapeOf(data);
  int64_t outputs = coin() ? in[1] : 1 + pick(4), zero = pick(200);
  Value bytes = quantized(data, 0.03125f, zero);
  auto intsOf = [&](ArrayRef<int64_t> shape, Type element) {
    Value real = eltwise(NPU_INSTR_mul, {constant(shape), scalar(100)});
    return unfolded(NPU_INSTR_cast, real,
                    RankedTensorType::get(shape, element));
  };
  auto sums = RankedTensorType::get({in[0], outputs, in[2], in[3]},
                                    builder.getI32Type());
  Value bias = coin() ? intsOf({outputs}, builder.getI32Type()) : Value();
  Value sum = Conv2dOp::create(
      builder, location, sums, bytes,
      intsOf({outputs, in[1], 1, 1}, builder.getI8Type()), bias, ints({1, 1}),
      ints({0, 0, 0, 0}), ints({1, 1}), builder.getI64IntegerAttr(1),
      builder.getI64IntegerAttr(zero));
  SmallVector<float> scales(static_cast<size_t>(outputs));
  for (float &scale : scales)
    scale = coin() ? 0.0009765625f : 0.00048828125f;
  Value factors =
      coin() ? scalar(scales[0])
             : rewrites::makeFloats(builder, location, {outputs, 1, 1}, scales);
  Value real = eltwise(
      NPU_INSTR_mul,
      {unfolded(NPU_INSTR_cast, sum, typeOf(sums.getShape())), factors});
  if (coin())
    real = coin() ? eltwise(NPU_INSTR_relu, real)
                  : eltwise(NPU_INSTR_clip, real, -0.5f, 2);
  if (outputs == in[1] && coin()) {
    Value first = dequantized(quantized(real, 0.0625f, 100), 0.0625f, 100);
    Value other = dequantized(bytes, 0.03125f, zero);
    real = eltwise(NPU_INSTR_add, {first, other});
  }
  const int64_t last = 100 + pick(40);
  return dequantized(quantized(real, 0.125f, last), 0.125f, last);
}

Value Generator::convTranspose(Value data) {
  ArrayRef<int64_t> in = shapeOf(data);
  int64_t groups = coin() ? in[1] : 1;
  int64_t outputs = groups * (1 + pick(2));
  Value weight = constant({outputs, in[1] / groups, 3, 3});
  return ConvTranspose2dOp::create(
      builder, location, typeOf({in[0], outputs, in[2], in[3]}), data, weight,
      coin() ? constant({outputs}) : Value(), ints({1, 1}), ints({1, 1, 1, 1}),
      ints({1, 1}), builder.getI64IntegerAttr(groups));
}

Value Generator::matmul(Value data) {
  SmallVector<int64_t> shape(shapeOf(data));
  Value b = constant({shape.back(), 1 + pick(4)});
  shape.back() = shapeOf(b)[1];
  return MatmulOp::create(builder, location, typeOf(shape), data, b);
}

/// What several products are in one matrix: a gate's halves, or heads in front
/// of all else. Now and then something reads the whole product, too.
Value Generator::partsOfProduct(Value data) {
  SmallVector<int64_t> shape(shapeOf(data));
  const int64_t count = 2 + pick(2), width = 1 + pick(3), heads = 1 + pick(3);
  const int64_t columns = heads * count * width;
  Value weight = constant({shape.back(), columns});
  shape.back() = columns;
  Value whole =
      MatmulOp::create(builder, location, typeOf(shape), data, weight);
  if (coin())
    whole = eltwise(NPU_INSTR_add, {constant({columns}), whole});
  if (coin())
    whole = unary(whole);
  if (pick(6) == 0)
    values.push_back(whole);
  // Of all columns, in front of the heads, or within each.
  rewrites::Part part{3, 0, heads * width};
  SmallVector<int64_t> apart(ArrayRef(shape).drop_back());
  if (const int64_t kind = pick(3); kind > 0) {
    apart.append(kind == 1
                     ? std::initializer_list<int64_t>{count, heads * width}
                     : std::initializer_list<int64_t>{heads, count * width});
    part = kind == 1 ? rewrites::Part{0, 0, 1} : rewrites::Part{4, 0, width};
    whole = *rewrites::makeReshape(builder, location, whole, apart);
    if (kind == 1 || coin())
      whole = *makeTranspose(builder, location, whole, {3, 0, 1, 2, 4});
  }
  shape.back() = heads * width;
  Value sum;
  for (int64_t index = 0; index < count; ++index) {
    Value one = *rewrites::makePart(builder, location, whole, part);
    part.begin += part.extent;
    one = *rewrites::makeReshape(builder, location, one, shape);
    sum = sum ? eltwise(coin() ? NPU_INSTR_mul : NPU_INSTR_add, {sum, one})
              : unary(one);
  }
  return sum;
}

/// Four times as large along all dimensions but the first and that of the
/// channels: worth the while of products that are made smaller.
Value Generator::resized(Value data, int64_t channel) {
  SmallVector<int64_t> shape(shapeOf(data));
  SmallVector<double> scales(shape.size(), 1);
  for (int64_t dim = 1; dim < 4; ++dim)
    if (dim != channel) {
      scales[dim] = 4;
      shape[dim] *= 4;
    }
  const ResizeMode modes[] = {ResizeMode::Nearest, ResizeMode::Linear,
                              ResizeMode::Cubic};
  const ResizeCoordinates places[] = {ResizeCoordinates::HalfPixel,
                                      ResizeCoordinates::AlignCorners,
                                      ResizeCoordinates::Asymmetric};
  return ResizeOp::create(builder, location, typeOf(shape), data,
                          modes[pick(3)], places[pick(3)], ResizeNearest::Floor,
                          builder.getF64ArrayAttr(scales), llvm::APFloat(-0.75),
                          false);
}

/// A product of channels of what is resized, or of that and something else.
/// Now and then something reads what is resized, too.
Value Generator::productOfResized(Value data) {
  if (tensorType(data).getNumElements() > 256)
    return unary(data);
  const int64_t channel = coin() ? 1 : 3;
  auto product = [&](Value from, int64_t results) -> Value {
    SmallVector<int64_t> shape(shapeOf(from));
    const int64_t channels = shape[channel];
    shape[channel] = results;
    if (channel == 3)
      return MatmulOp::create(builder, location, typeOf(shape), from,
                              constant({channels, results}));
    return Conv2dOp::create(builder, location, typeOf(shape), from,
                            constant({results, channels, 1, 1}),
                            coin() ? constant({results}) : Value(),
                            ints({1, 1}), ints({0, 0, 0, 0}), ints({1, 1}),
                            builder.getI64IntegerAttr(1));
  };
  Value large = resized(product(data, 16), channel);
  if (pick(6) == 0)
    values.push_back(large);
  if (coin()) {
    Value other = coin() ? resized(product(data, 16), channel)
                         : unary(resized(data, channel));
    SmallVector<Value> parts = {large, other};
    if (coin())
      std::swap(parts[0], parts[1]);
    SmallVector<int64_t> shape(shapeOf(large));
    shape[channel] += shapeOf(other)[channel];
    large = ConcatOp::create(builder, location, typeOf(shape), parts, channel);
  }
  return product(large, 1 + pick(4));
}

/// Two products of channels, with a view of all positions, a sum, or both in
/// between. Now and then something reads what the first gives, too.
Value Generator::productOfProduct(Value data) {
  ArrayRef<int64_t> in = shapeOf(data);
  const int64_t positions = in[2] * in[3], middle = 1 + pick(8),
                results = 1 + pick(4);
  auto convolved = [&](Value from, ArrayRef<int64_t> shape) -> Value {
    return Conv2dOp::create(builder, location, typeOf(shape), from,
                            constant({shape[1], shapeOf(from)[1], 1, 1}),
                            coin() ? constant({shape[1]}) : Value(),
                            ints({1, 1}), ints({0, 0, 0, 0}), ints({1, 1}),
                            builder.getI64IntegerAttr(1));
  };
  Value first = convolved(data, {in[0], middle, in[2], in[3]});
  if (pick(6) == 0)
    values.push_back(first);
  if (coin())
    first = eltwise(NPU_INSTR_add, {first, constant({middle, 1, 1})});
  if (coin())
    return convolved(first, {in[0], results, in[2], in[3]});
  Value rows = *rewrites::makeReshape(builder, location, first,
                                      {in[0], middle, positions});
  rows = *rewrites::makeTranspose(builder, location, rows, {0, 2, 1});
  if (coin())
    rows = eltwise(NPU_INSTR_add, {constant({middle}), rows});
  rows =
      MatmulOp::create(builder, location, typeOf({in[0], positions, results}),
                       rows, constant({middle, results}));
  return *rewrites::makeReshape(builder, location, rows,
                                {in[0], in[2], in[3], results});
}

/// What two convolutions give, their channels shuffled, in front of others: of
/// all of them, of each half, or of each channel. Now and then something reads
/// the shuffled channels, too.
Value Generator::shuffled(Value data) {
  const int64_t groups = 2 + pick(2), each = 1 + pick(3), results = 1 + pick(4);
  Value whole = branch(data, groups * each, 1, 1);
  if (coin())
    whole = coin() ? unary(whole) : affine(whole);
  if (coin())
    whole = ConcatOp::create(
        builder, location,
        typeOf({shapeOf(whole)[0], 2 * groups * each, shapeOf(whole)[2],
                shapeOf(whole)[3]}),
        ValueRange{whole, branch(data, groups * each, 1, 1)}, 1);
  SmallVector<int64_t> shape(shapeOf(whole));
  const int64_t channels = shape[1];
  if (pick(6) == 0)
    values.push_back(whole);
  Value moved = *rewrites::makeReshape(
      builder, location, whole,
      {shape[0], groups, channels / groups, shape[2], shape[3]});
  moved = *makeTranspose(builder, location, moved, {0, 2, 1, 3, 4});
  moved = *rewrites::makeReshape(builder, location, moved, shape);
  switch (pick(3)) {
  case 0:
    return branch(moved, results, 1, 1);
  case 1:
    return branch(branch(moved, channels, channels, 1), results, 1, 1);
  default: {
    const int64_t half = channels / 2;
    Value first = *rewrites::makePart(builder, location, moved, {1, 0, half});
    Value rest = *rewrites::makePart(builder, location, moved,
                                     {1, half, channels - half});
    return eltwise(NPU_INSTR_add,
                   {branch(first, results, 1, 1), branch(rest, results, 1, 1)});
  }
  }
}

/// A convolution of each phase of an image, as TensorFlow spells dilation. Now
/// and then something reads what it gives, too.
Value Generator::ofPhases(Value data) {
  ArrayRef<int64_t> in = shapeOf(data);
  if (in[2] % 2 != 0 || in[3] % 2 != 0)
    return unary(data);
  const int64_t batch = in[0], rows = in[2] / 2, columns = in[3] / 2,
                results = 1 + pick(4);
  Value phases = *rewrites::makeReshape(builder, location, data,
                                        {batch, in[1], rows, 2, columns, 2});
  phases = *makeTranspose(builder, location, phases, {3, 5, 0, 1, 2, 4});
  phases = *rewrites::makeReshape(builder, location, phases,
                                  {4 * batch, in[1], rows, columns});
  Value given = branch(phases, results, 1, 1);
  if (pick(6) == 0)
    values.push_back(given);
  given = *rewrites::makeReshape(builder, location, given,
                                 {2, 2, batch, results, rows, columns});
  given = *makeTranspose(builder, location, given, {2, 3, 4, 0, 5, 1});
  return *rewrites::makeReshape(builder, location, given,
                                {batch, results, 2 * rows, 2 * columns});
}

/// A convolution of every second element, or without the last ones; or these
/// of what a convolution gives.
Value Generator::slicedWindows(Value data) {
  auto sliced = [&](Value whole) -> Value {
    SmallVector<int64_t> shape(shapeOf(whole)), starts(4, 0), steps(4, 1);
    for (int64_t dim = 2; dim < 4; ++dim) {
      steps[dim] = 1 + pick(2);
      starts[dim] = pick(3) == 0 ? pick(shape[dim]) : 0;
      const int64_t most = (shape[dim] - starts[dim] - 1) / steps[dim] + 1;
      shape[dim] = coin() ? most : std::max<int64_t>(1, most - 1);
    }
    return SliceOp::create(builder, location, typeOf(shape), whole,
                           builder.getI64ArrayAttr(starts),
                           builder.getI64ArrayAttr(steps));
  };
  const int64_t results = 1 + pick(4), stride = 1 + pick(2);
  return coin() ? branch(sliced(data), results, 1, stride)
                : sliced(branch(data, results, 1, stride));
}

/// A product by each column, or each row, of what a convolution gives.
Value Generator::productOfColumns(Value data) {
  Value image = branch(data, 1 + pick(4), 1, 1);
  if (coin())
    image = unary(image);
  SmallVector<int64_t> shape(shapeOf(image));
  const int64_t outside = 2 + pick(2), inside = 5 - outside,
                elements = shape[1] * shape[inside], results = 1 + pick(4);
  const bool channelsFirst = coin();
  Value rows = *makeTranspose(
      builder, location, image,
      {outside, 0, channelsFirst ? 1 : inside, channelsFirst ? inside : 1});
  rows = *rewrites::makeReshape(builder, location, rows,
                                {shape[outside], shape[0], elements});
  rows = MatmulOp::create(builder, location,
                          typeOf({shape[outside], shape[0], results}), rows,
                          constant({elements, results}));
  if (coin())
    rows = eltwise(NPU_INSTR_add, {constant({results}), rows});
  return *rewrites::makeReshape(builder, location, rows,
                                {shape[0], shape[outside], 1, results});
}

Value Generator::unary(Value data) {
  switch (pick(6)) {
  case 0:
    return eltwise(NPU_INSTR_sigmoid, data);
  case 1:
    return eltwise(NPU_INSTR_clip, data, 0, 0.5f);
  case 2:
    return eltwise(NPU_INSTR_hard_sigmoid, data, 0.2f, 0.5f);
  case 3:
    return eltwise(NPU_INSTR_leaky_relu, data, 0.1f);
  default:
    return eltwise(NPU_INSTR_relu, data);
  }
}

Value Generator::spelledActivation(Value data) {
  switch (pick(5)) {
  case 0: { // hard swish, the division first or last
    Value moved = eltwise(NPU_INSTR_add, {data, scalar(3)});
    Value gate = eltwise(NPU_INSTR_clip, moved, 0, 6);
    if (coin())
      return eltwise(NPU_INSTR_div,
                     {eltwise(NPU_INSTR_mul, {data, gate}), scalar(6)});
    Value unit = eltwise(NPU_INSTR_mul, {gate, scalar(1.0f / 6)});
    return eltwise(NPU_INSTR_mul, {unit, data});
  }
  case 1: // swish
    return eltwise(
        NPU_INSTR_mul,
        {data, eltwise(NPU_INSTR_sigmoid,
                       eltwise(NPU_INSTR_mul, {data, scalar(1.5f)}))});
  case 2: // bounds
    return eltwise(NPU_INSTR_min,
                   {eltwise(NPU_INSTR_max, {data, scalar(0)}), scalar(0.75f)});
  case 3: { // GELU
    Value error = eltwise(NPU_INSTR_erf,
                          eltwise(NPU_INSTR_div, {data, scalar(1.41421356f)}));
    Value gate = eltwise(NPU_INSTR_add, {error, scalar(1)});
    return eltwise(NPU_INSTR_mul,
                   {eltwise(NPU_INSTR_mul, {data, gate}), scalar(0.5f)});
  }
  default: // not a swish: another offset
    return eltwise(
        NPU_INSTR_mul,
        {data, eltwise(NPU_INSTR_sigmoid,
                       eltwise(NPU_INSTR_add, {data, scalar(0.25f)}))});
  }
}

/// With a constant of each shape that broadcasts, per channel or not.
Value Generator::affine(Value data) {
  SmallVector<int64_t> shape(shapeOf(data));
  switch (pick(4)) {
  case 0:
    shape.clear();
    break;
  case 1:
    shape = {shape[1], 1, 1};
    break;
  case 2:
    shape = {shape.back()};
    break;
  default:
    shape = {1, shape[1], 1, 1};
  }
  Value other = constant(shape);
  const npu_instr_kind kinds[] = {NPU_INSTR_add, NPU_INSTR_mul, NPU_INSTR_sub,
                                  NPU_INSTR_add, NPU_INSTR_mul};
  npu_instr_kind kind = kinds[pick(5)];
  return coin() ? eltwise(kind, {data, other}) : eltwise(kind, {other, data});
}

Value Generator::residual(Value data) {
  for (Value other : values)
    if (other != data && other.getType() == data.getType())
      return eltwise(coin() ? NPU_INSTR_add : NPU_INSTR_mul, {data, other});
  return unary(data);
}

/// Squeeze and excite, without its convolutions.
Value Generator::gate(Value data) {
  SmallVector<int64_t> shape(shapeOf(data));
  shape[2] = shape[3] = 1;
  Value mean =
      ReduceOp::create(builder, location, typeOf(shape), data, ReduceKind::Mean,
                       builder.getI64ArrayAttr({2, 3}), true);
  return eltwise(NPU_INSTR_mul, {data, eltwise(NPU_INSTR_sigmoid, mean)});
}

Value Generator::transpose(Value data) {
  SmallVector<int64_t> permutation = {0, 2, 3, 1};
  if (coin())
    permutation = {0, 3, 1, 2};
  if (pick(4) == 0)
    permutation = {0, 1, 3, 2};
  return *makeTranspose(builder, location, data, permutation);
}

Value Generator::padOrPool(Value data) {
  SmallVector<int64_t> shape(shapeOf(data));
  Value input = coin() ? eltwise(NPU_INSTR_relu, data) : data;
  shape[2] += 2;
  shape[3] += 2;
  Value padded = PadOp::create(
      builder, location, typeOf(shape), input, ints({0, 0, 1, 1, 0, 0, 1, 1}),
      PadMode::Constant, llvm::APFloat(pick(4) == 0 ? 1.0 : 0.0));
  int64_t kind = pick(4);
  if (kind == 0)
    return padded;
  if (kind == 1)
    return convolution(padded);
  shape[2] -= 2;
  shape[3] -= 2;
  if (kind == 2)
    return MaxPoolOp::create(builder, location, typeOf(shape), padded,
                             ints({3, 3}), ints({1, 1}), ints({0, 0, 0, 0}),
                             ints({1, 1}));
  return AvgPoolOp::create(builder, location, typeOf(shape), padded,
                           ints({3, 3}), ints({1, 1}), ints({0, 0, 0, 0}),
                           ints({1, 1}), coin());
}

Value Generator::concat(Value data) {
  SmallVector<int64_t> shape(shapeOf(data));
  int64_t axis = pick(4);
  Value other = unary(data);
  shape[axis] *= 2;
  return ConcatOp::create(builder, location, typeOf(shape),
                          ValueRange{data, other}, axis);
}

Value Generator::reduce(Value data) {
  SmallVector<int64_t> shape(shapeOf(data));
  int64_t axis = 1 + pick(3);
  shape[axis] = 1;
  return ReduceOp::create(builder, location, typeOf(shape), data,
                          ReduceKind::Mean, builder.getI64ArrayAttr({axis}),
                          true);
}

/// What a reduction left, spelled out again, and what exporters do with that.
Value Generator::repeated(Value data) {
  Value small = reduce(data);
  if (shapeOf(data)[0] == 1 && coin()) // aligned at the right
    small = *rewrites::makeReshape(builder, location, small,
                                   shapeOf(small).drop_front());
  Value whole = BroadcastOp::create(builder, location, data.getType(), small);
  switch (pick(4)) {
  case 0:
    return eltwise(NPU_INSTR_mul, {data, unary(whole)});
  case 1:
    return eltwise(NPU_INSTR_add, {whole, whole});
  case 2:
    return reduce(whole);
  default:
    return unary(whole);
  }
}

Value Generator::reshape(Value data) {
  ArrayRef<int64_t> shape = shapeOf(data);
  SmallVector<int64_t> flat = {shape[0], 1, shape[1], shape[2] * shape[3]};
  Value first = *rewrites::makeReshape(builder, location, data, flat);
  return coin() ? first
                : *rewrites::makeReshape(builder, location, first, shape);
}

mlir::OwningOpRef<mlir::ModuleOp> Generator::run(int steps) {
  mlir::OwningOpRef<mlir::ModuleOp> module =
      startModule(typeOf({1 + pick(2), 1 + pick(4), 4, 4}));

  using Step = Value (Generator::*)(Value);
  const Step kinds[] = {&Generator::convolution,
                        &Generator::branches,
                        &Generator::quantizedConvolution,
                        &Generator::quantizedConvolution,
                        &Generator::convTranspose,
                        &Generator::matmul,
                        &Generator::partsOfProduct,
                        &Generator::productOfResized,
                        &Generator::productOfProduct,
                        &Generator::shuffled,
                        &Generator::ofPhases,
                        &Generator::slicedWindows,
                        &Generator::productOfColumns,
                        &Generator::unary,
                        &Generator::spelledActivation,
                        &Generator::affine,
                        &Generator::affine,
                        &Generator::affine,
                        &Generator::residual,
                        &Generator::gate,
                        &Generator::transpose,
                        &Generator::transpose,
                        &Generator::padOrPool,
                        &Generator::concat,
                        &Generator::reduce,
                        &Generator::repeated,
                        &Generator::reshape};
  for (int i = 0; i < steps; ++i) {
    Value data = pickValue();
    Value next = (this->*kinds[pick(std::size(kinds))])(data);
    if (tensorType(next).getNumElements() <= 2048)
      values.push_back(next);
  }
  finishModule({values.back(), pickValue()});
  return module;
}

mlir::OwningOpRef<mlir::ModuleOp> test::randomGraph(MLIRContext &context,
                                                    unsigned seed, int steps) {
  context.loadDialect<NPUDialect, mlir::func::FuncDialect>();
  return Generator(context, seed).run(steps);
}
