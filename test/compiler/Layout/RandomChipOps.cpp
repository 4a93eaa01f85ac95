// SPDX-License-Identifier: Apache-2.0
#include "test/compiler/Layout/RandomChipOps.h"

#include "compiler/Dialect/NPU/ShapeInference.h"

using namespace npu;
using shapes::Shape;
using test::ChipOpSource;

namespace {

/// Larger results would make the fuzzers slow.
constexpr int64_t mostElements = 768;

class Maker {
public:
  Maker(const ChipOpSource &source, Value data)
      : source(source), builder(source.builder), location(source.location),
        data(data), shape(tensorType(data).getShape()) {}

  Value make() {
    using Step = Value (Maker::*)();
    static const Step anyRank[] = {&Maker::mirror, &Maker::rotate,
                                   &Maker::tensornorm, &Maker::attention};
    static const Step images[] = {
        &Maker::mirror,  &Maker::rotate,   &Maker::tensornorm,
        &Maker::img2col, &Maker::unpool,   &Maker::maskunpool,
        &Maker::byData,  &Maker::byWeight, &Maker::attention};
    bool isImage = shape.size() >= 3 && shape.size() <= 5;
    ArrayRef<Step> steps = isImage ? ArrayRef(images) : ArrayRef(anyRank);
    return (this->*steps[source.pick(static_cast<int64_t>(steps.size()))])();
  }

private:
  bool coin() { return source.pick(2) == 0; }
  ArrayAttr ints(ArrayRef<int64_t> list) {
    return builder.getI64ArrayAttr(list);
  }
  Type typeOf(ArrayRef<int64_t> extents) {
    return RankedTensorType::get(extents, builder.getF32Type());
  }
  static bool isSmall(ArrayRef<int64_t> extents) {
    int64_t count = 1;
    for (int64_t extent : extents)
      count *= extent;
    return count > 0 && count <= mostElements;
  }
  size_t spatial() const { return shape.size() - 2; }

  Value mirror() {
    Shape axes;
    for (size_t i = 0; i < shape.size(); ++i)
      if (coin())
        axes.push_back(static_cast<int64_t>(i));
    return MirrorOp::create(builder, location, data.getType(), data,
                            ints(axes));
  }

  /// Of the data with itself; keys and values of one head for all.
  Value attention() {
    size_t rank = shape.size();
    if (rank < 2 || !isSmall(shape))
      return {};
    Value keys = data;
    if (Shape few(shape); rank > 2 && coin()) {
      few[rank - 3] = 1;
      keys = source.constant(few);
    }
    if (!keys)
      return {};
    return AttentionOp::create(builder, location, data.getType(), data, keys,
                               keys, Value(), builder.getF64FloatAttr(0.5),
                               builder.getF64FloatAttr(0),
                               builder.getBoolAttr(coin()));
  }

  Value rotate() {
    auto rank = static_cast<int64_t>(shape.size());
    if (rank < 2)
      return {};
    int64_t first = source.pick(rank), second = source.pick(rank);
    if (first == second)
      second = (first + 1) % rank;
    int64_t turns = 1 + source.pick(3);
    return RotateOp::create(
        builder, location,
        typeOf(shapes::rotate(shape, {first, second}, turns)), data,
        ints({first, second}), builder.getI64IntegerAttr(turns));
  }

  /// Epsilon is large, so that sets of equal numbers do not magnify rounding.
  Value tensornorm() {
    if (shape.empty())
      return {};
    Shape axes = {source.pick(static_cast<int64_t>(shape.size()))};
    for (size_t i = 0; i < shape.size(); ++i)
      if (static_cast<int64_t>(i) != axes[0] && coin())
        axes.push_back(static_cast<int64_t>(i));
    Shape parameters(shape);
    for (int64_t &extent : parameters)
      extent = coin() ? extent : 1;
    Value scale = source.constant(parameters);
    if (!scale)
      return {};
    int64_t groups = shape[axes[0]] % 2 == 0 && coin() ? 2 : 1;
    Value bias = coin() ? source.constant(parameters) : Value();
    return TensornormOp::create(builder, location, data.getType(), data, scale,
                                bias, ints(axes), builder.getF64FloatAttr(0.5),
                                builder.getI64IntegerAttr(groups),
                                builder.getBoolAttr(coin()));
  }

  /// A window of 1 or 2 in each spatial dimension.
  Shape smallKernel() {
    Shape kernel;
    for (int64_t extent : shape.drop_front(2))
      kernel.push_back(std::min<int64_t>(extent, 1 + source.pick(2)));
    return kernel;
  }

  Value img2col() {
    Shape kernel = smallKernel(), strides(spatial(), 1 + source.pick(2)),
          ones(spatial(), 1), pads(2 * spatial());
    for (int64_t &pad : pads)
      pad = source.pick(2);
    std::string error;
    FailureOr<Shape> result =
        shapes::img2col(shape, {kernel, strides, ones, pads}, error);
    if (failed(result) || !isSmall(*result))
      return {};
    return Img2colOp::create(builder, location, typeOf(*result), data,
                             ints(kernel), ints(strides), ints(pads),
                             ints(ones));
  }

  Value unpool() {
    Shape kernel = smallKernel();
    std::string error;
    FailureOr<Shape> result = shapes::unpool(shape, kernel, error);
    if (failed(result) || !isSmall(*result))
      return {};
    return UnpoolOp::create(builder, location, typeOf(*result), data,
                            ints(kernel),
                            coin() ? UnpoolMode::Nearest : UnpoolMode::Zero);
  }

  /// Pooled and put back, or put at the even places.
  Value maskunpool() {
    Shape kernel = smallKernel(), ones(spatial(), 1), pads(2 * spatial());
    std::string error;
    FailureOr<Shape> small = shapes::windowed(
        shape.drop_front(2), {kernel, kernel, ones, pads}, error);
    if (failed(small))
      return {};
    Shape pooled = {shape[0], shape[1]};
    pooled.append(*small);
    Value values =
        MaxPoolOp::create(builder, location, typeOf(pooled), data, ints(kernel),
                          ints(kernel), ints(pads), ints(ones));
    auto type = RankedTensorType::get(pooled, builder.getI64Type());
    if (!source.runnable) {
      Value places = MaxPoolIndicesOp::create(
          builder, location, type, data, ints(kernel), ints(kernel), ints(pads),
          ints(ones), builder.getBoolAttr(false));
      return MaskunpoolOp::create(builder, location, data.getType(), values,
                                  places);
    }
    SmallVector<int64_t> numbers;
    int64_t step = tensorType(data).getNumElements() / type.getNumElements();
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      numbers.push_back(i * step);
    auto elements = DenseElementsAttr::get(type, ArrayRef<int64_t>(numbers));
    Value places = ConstantOp::create(builder, location, type, elements);
    return MaskunpoolOp::create(builder, location, data.getType(), values,
                                places);
  }

  /// `data` as the gradient by a convolution's result.
  Value byData() {
    int64_t groups = coin() ? shape[1] : 1, inputs = 1 + source.pick(3);
    Shape kernel = smallKernel(), ones(spatial(), 1), pads(2 * spatial());
    Shape strides(spatial(), 1 + source.pick(2));
    Shape weight = {shape[1], inputs};
    weight.append(kernel);
    Shape result = {shape[0], groups * inputs};
    for (size_t i = 0; i < spatial(); ++i)
      result.push_back((shape[i + 2] - 1) * strides[i] + kernel[i]);
    Value filter = source.constant(weight);
    if (!isSmall(result) || !filter)
      return {};
    return ConvBpaOp::create(builder, location, typeOf(result), data, filter,
                             ints(strides), ints(pads), ints(ones),
                             builder.getI64IntegerAttr(groups));
  }

  /// `data` as the data of a convolution; of a 1x1 one also as its result.
  Value byWeight() {
    bool isOwn = coin();
    Shape kernel = isOwn ? Shape(spatial(), 1) : smallKernel();
    Shape ones(spatial(), 1), pads(2 * spatial());
    Shape weight = {isOwn ? shape[1] : 1 + source.pick(4), shape[1]};
    weight.append(kernel);
    std::string error;
    FailureOr<Shape> gradient =
        shapes::conv(shape, weight, ones, ones, pads, 1, error);
    if (failed(gradient) || !isSmall(weight))
      return {};
    Value by = isOwn ? data : source.constant(*gradient);
    if (!by)
      return {};
    return ConvBpwOp::create(builder, location, typeOf(weight), data, by,
                             ints(ones), ints(pads), ints(ones),
                             builder.getI64IntegerAttr(1));
  }

  const ChipOpSource &source;
  OpBuilder &builder;
  Location location;
  Value data;
  ArrayRef<int64_t> shape;
};

} // namespace

Value test::randomChipOp(const ChipOpSource &source, Value data) {
  return Maker(source, data).make();
}
