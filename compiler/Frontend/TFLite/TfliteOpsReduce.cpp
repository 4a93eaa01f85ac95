// SPDX-License-Identifier: Apache-2.0
//
// Reductions, and where the best element lies.
#include "compiler/Frontend/TFLite/TfliteOps.h"

#include "compiler/Dialect/NPU/ShapeInference.h"

using namespace npu;

static bool keepsDims(TfliteNode &node) {
  const auto *options = node.op.options<tflite::ReducerOptions>();
  return options && options->keep_dims();
}

/// The elements that become one.
static int64_t countOf(Value x, ArrayRef<int64_t> axes) {
  int64_t count = 1;
  for (int64_t axis : axes)
    count *= shapeOf(x)[axis];
  return count;
}

/// SUM, REDUCE_MAX, REDUCE_MIN and REDUCE_PROD of numbers as they are stored.
LogicalResult npu::buildTfliteReduce(TfliteNode &node) {
  Value x = node.input(0);
  FailureOr<Ints> axes = node.dimensions(1, rankOf(x));
  if (failed(axes))
    return failure();
  return node.setResult(node.reduce(x, static_cast<ReduceKind>(node.row.word),
                                    *axes, keepsDims(node)));
}

/// The scaled sums of a quantized operand as the result. The dimensions stay
/// until the result is quantized: a chip sums the bytes of an image and stores
/// bytes in one kernel.
static LogicalResult
setQuantizedSum(TfliteNode &node, ArrayRef<int64_t> axes, Rounding rounding,
                function_ref<TfliteMultiplier(double factor)> multiplier) {
  Value x = node.input(0);
  FailureOr<TfliteScale> from = node.inputScale(0), to = node.resultScale();
  if (failed(from) || failed(to))
    return failure();
  Value sum = node.reduce(node.centered(x, from->zeroPoint()), ReduceKind::Sum,
                          axes, /*keepDims=*/true);
  Value result = node.requantized(sum, multiplier(from->scale() / to->scale()),
                                  rounding, tflite::Activation::NONE);
  if (keepsDims(node))
    return node.setResult(result);
  Ints shape;
  for (auto [dim, extent] : llvm::enumerate(shapeOf(x)))
    if (!llvm::is_contained(axes, int64_t(dim)))
      shape.push_back(extent);
  return node.setResult(node.reshape(result, shape));
}

/// Quantized sums are scaled once, when all is added.
LogicalResult npu::buildTfliteSum(TfliteNode &node) {
  if (!node.isQuantized(0))
    return buildTfliteReduce(node);
  Value x = node.input(0);
  FailureOr<Ints> axes = node.dimensions(1, rankOf(x));
  if (failed(axes) || failed(node.checkKeepsType(0)))
    return failure();
  return setQuantizedSum(node, *axes, Rounding::HalfUp, multiplierOf);
}

/// The multiplier of a mean in LiteRT's integers: that of the scales, divided
/// by the count, with as many bits as fit.
static TfliteMultiplier meanMultiplier(double factor, int64_t count) {
  TfliteMultiplier scale = multiplierOf(factor);
  int32_t bits = 0;
  while (count >> bits > 1)
    ++bits;
  bits = std::min({bits, 32, 62 - scale.shift});
  int64_t wide = (int64_t(scale.multiplier) << bits) / count;
  return {static_cast<int32_t>(wide), scale.shift + bits};
}

LogicalResult npu::buildTfliteMean(TfliteNode &node) {
  Value x = node.input(0);
  FailureOr<Ints> axes = node.dimensions(1, rankOf(x));
  if (failed(axes) || failed(node.checkKeepsType(0)))
    return failure();
  int64_t count = countOf(x, *axes);
  if (count == 0)
    return node.error("means no elements of " + shapes::text(shapeOf(x)));
  if (isa<mlir::FloatType>(elementOf(x)))
    return node.setResult(
        node.reduce(x, ReduceKind::Mean, *axes, keepsDims(node)));
  if (node.isQuantized(0))
    return setQuantizedSum(node, *axes, Rounding::Twice, [&](double factor) {
      return meanMultiplier(factor, count);
    });
  // What follows the point is cut off.
  Type i64 = node.getBuilder().getI64Type();
  Value sum =
      node.reduce(node.cast(x, i64), ReduceKind::Sum, *axes, keepsDims(node));
  Value mean = node.two(NPU_INSTR_div, sum, node.scalar(double(count), i64));
  return node.setResult(node.cast(mean, node.resultElement()));
}

/// REDUCE_ANY is the largest bit, REDUCE_ALL the smallest.
LogicalResult npu::buildTfliteReduceBool(TfliteNode &node) {
  Value x = node.input(0);
  FailureOr<Ints> axes = node.dimensions(1, rankOf(x));
  if (failed(axes))
    return failure();
  Value best = node.reduce(node.cast(x, node.i32()),
                           static_cast<ReduceKind>(node.row.word), *axes,
                           keepsDims(node));
  return node.setResult(node.cast(best, elementOf(x)));
}

/// ARG_MAX and ARG_MIN: the first of equals; the dimension goes away.
LogicalResult npu::buildTfliteArg(TfliteNode &node) {
  Value x = node.input(0);
  FailureOr<int64_t> given = node.number(1, "a dimension");
  if (failed(given))
    return failure();
  FailureOr<int64_t> axis = node.dimension(*given, rankOf(x));
  if (failed(axis))
    return failure();
  if (shapeOf(x)[*axis] < 1)
    return node.error("looks for the best of no elements");
  if (elementOf(x).isInteger(1))
    x = node.cast(x, node.i32());
  bool isLargest = node.op.kind() == tflite::BuiltinOperator::ARG_MAX;
  Value place = node.placeOfBest(x, *axis, isLargest, /*isLast=*/false);
  if (!place)
    return failure();
  Ints shape(shapeOf(place));
  shape.erase(shape.begin() + *axis);
  return node.setResult(
      node.cast(node.reshape(place, shape), node.indexElement()));
}

LogicalResult npu::buildTfliteCumsum(TfliteNode &node) {
  Value x = node.input(0);
  const auto *options = node.op.options<tflite::CumsumOptions>();
  FailureOr<int64_t> given = node.number(1, "a dimension");
  if (failed(given))
    return failure();
  FailureOr<int64_t> axis = node.dimension(*given, rankOf(x));
  if (failed(axis))
    return failure();
  OpBuilder &builder = node.getBuilder();
  return node.setResult(node.create<CumulateOp>(
      shapeOf(x), elementOf(x), x,
      CumulateKindAttr::get(builder.getContext(), CumulateKind::Sum),
      builder.getI64IntegerAttr(*axis),
      builder.getBoolAttr(options && options->exclusive()),
      builder.getBoolAttr(options && options->reverse())));
}
