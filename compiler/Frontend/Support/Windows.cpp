// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/Support/Windows.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"

using namespace npu;

Value npu::channelsFirst(Emitter &emitter, Value value) {
  if (!value)
    return value;
  Ints order{0, rankOf(value) - 1};
  order.append(countFrom(1, rankOf(value) - 1));
  return emitter.transpose(value, order);
}

Value npu::channelsLast(Emitter &emitter, Value value) {
  if (!value)
    return value;
  Ints order{0};
  order.append(countFrom(2, rankOf(value)));
  order.push_back(1);
  return emitter.transpose(value, order);
}

template <typename OpTy>
static Value createConv(Emitter &emitter, const Convolution &conv,
                        ArrayRef<int64_t> shape) {
  OpBuilder &builder = emitter.getBuilder();
  Type element = elementOf(conv.data);
  return emitter.create<OpTy>(
      shape, isByte(element) ? builder.getI32Type() : element, conv.data,
      conv.weight, conv.bias, emitter.intArray(conv.strides),
      emitter.intArray(conv.pads), emitter.intArray(conv.dilations),
      builder.getI64IntegerAttr(conv.groups),
      builder.getI64IntegerAttr(conv.dataZeroPoint));
}

Value npu::convolve(Emitter &emitter, const Convolution &conv) {
  if (!conv.data || !conv.weight)
    return Value();
  std::string reason;
  FailureOr<shapes::Shape> shape =
      shapes::conv(shapeOf(conv.data), shapeOf(conv.weight), conv.strides,
                   conv.dilations, conv.pads, conv.groups, reason);
  if (failed(shape))
    return emitter.fail(reason);
  return rankOf(conv.data) == 4 ? createConv<Conv2dOp>(emitter, conv, *shape)
                                : createConv<Conv3dOp>(emitter, conv, *shape);
}

Value npu::convolveTransposed(Emitter &emitter, Convolution conv,
                              ArrayRef<int64_t> added) {
  if (!conv.data || !conv.weight)
    return Value();
  std::string reason;
  FailureOr<shapes::Shape> shape = shapes::convTranspose(
      shapeOf(conv.data), shapeOf(conv.weight), conv.strides, conv.dilations,
      conv.pads, conv.groups, reason);
  if (failed(shape))
    return emitter.fail(reason);
  bool isPadded =
      llvm::any_of(added, [](int64_t amount) { return amount > 0; });
  Value bias = conv.bias, bySpace;
  if (isPadded)
    conv.bias = Value();
  Value sum = createConv<ConvTranspose2dOp>(emitter, conv, *shape);
  if (!isPadded)
    return sum;
  if (bias)
    bySpace = emitter.reshape(bias, {shapeOf(bias)[0], 1, 1});
  Ints pads{0, 0, added[0], added[1], 0, 0, added[2], added[3]};
  sum = emitter.pad(sum, pads, PadMode::Constant, 0);
  return bySpace ? emitter.eltwise(NPU_INSTR_add, {sum, bySpace}) : sum;
}

LogicalResult npu::fitWindow(Emitter &emitter, PoolWindow &window,
                             ArrayRef<int64_t> image) {
  std::string reason;
  FailureOr<shapes::Shape> extents = shapes::windowed(
      image, {window.kernel, window.strides, window.dilations, window.pads},
      reason);
  if (failed(extents))
    return emitter.error(reason);
  window.extents = *extents;
  return success();
}

template <typename OpTy>
static Value createPool(Emitter &emitter, Value data, const PoolWindow &window,
                        bool flag) {
  if (!data)
    return data;
  Ints shape(shapeOf(data).take_front(2));
  shape.append(window.extents);
  return emitter.create<OpTy>(
      shape, elementOf(data), data, emitter.intArray(window.kernel),
      emitter.intArray(window.strides), emitter.intArray(window.pads),
      emitter.intArray(window.dilations),
      emitter.getBuilder().getBoolAttr(flag));
}

Value npu::maxPool(Emitter &emitter, Value data, const PoolWindow &window,
                   bool keepsNan) {
  return createPool<MaxPoolOp>(emitter, data, window, keepsNan);
}

Value npu::averagePool(Emitter &emitter, Value data, const PoolWindow &window,
                       bool countsPadding) {
  return createPool<AvgPoolOp>(emitter, data, window, countsPadding);
}

Value npu::sumPool(Emitter &emitter, Value data, int64_t zeroPoint,
                   const PoolWindow &window) {
  if (!data)
    return data;
  // A convolution with ones subtracts the zero point and does not count
  // padding.
  int64_t channels = shapeOf(data)[1];
  Value ones =
      emitter.filled(1, {channels, 1, window.kernel[0], window.kernel[1]},
                     emitter.getBuilder().getIntegerType(8));
  return convolve(emitter, {data, ones, Value(), zeroPoint, window.strides,
                            window.pads, window.dilations, channels});
}

std::vector<int32_t> npu::windowCounts(const PoolWindow &window,
                                       ArrayRef<int64_t> image) {
  auto along = [&](int dim, int64_t at) {
    int64_t begin = at * window.strides[dim] - window.pads[dim];
    int64_t end = std::min(begin + window.kernel[dim], image[dim]);
    return end - std::max<int64_t>(begin, 0);
  };
  std::vector<int32_t> counts;
  for (int64_t y = 0; y < window.extents[0]; ++y)
    for (int64_t x = 0; x < window.extents[1]; ++x)
      counts.push_back(static_cast<int32_t>(along(0, y) * along(1, x)));
  return counts;
}

Value npu::byPlace(Emitter &emitter, ArrayRef<int32_t> numbers,
                   const PoolWindow &window) {
  Type i32 = emitter.getBuilder().getI32Type();
  if (llvm::all_equal(numbers))
    return emitter.scalar(numbers.front(), i32);
  return emitter.constant(
      makeElements(RankedTensorType::get(window.extents, i32),
                   ArrayRef(reinterpret_cast<const char *>(numbers.data()),
                            numbers.size() * sizeof(int32_t))));
}

Value npu::resizeLinearly(Emitter &emitter, Value image,
                          ArrayRef<int64_t> extents, ArrayRef<double> scales,
                          ResizeCoordinates coordinates) {
  OpBuilder &builder = emitter.getBuilder();
  mlir::MLIRContext *context = builder.getContext();
  Value data = channelsFirst(emitter, image);
  if (!data)
    return data;
  Ints shape(shapeOf(data).take_front(2));
  shape.append(extents.begin(), extents.end());
  SmallVector<double> all{1, 1};
  all.append(scales.begin(), scales.end());
  return channelsLast(
      emitter, emitter.create<ResizeOp>(
                   shape, elementOf(data), data,
                   ResizeModeAttr::get(context, ResizeMode::Linear),
                   ResizeCoordinatesAttr::get(context, coordinates),
                   ResizeNearestAttr::get(context, ResizeNearest::Floor),
                   builder.getF64ArrayAttr(all), builder.getF64FloatAttr(-0.75),
                   builder.getBoolAttr(false)));
}
