// SPDX-License-Identifier: Apache-2.0
//
// Operators that address elements by index, and those that give numbers of
// shapes.
#include "compiler/Frontend/TFLite/TfliteOps.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"

#include <cmath>

using namespace npu;

// --- Elements at indices -----------------------------------------------------

/// Data (batch, outer, K, inner) and indices (batch, places) become (batch,
/// outer, places, inner).
static Value gatherInBatches(TfliteNode &node, Value x, Value indices,
                             int64_t axis, int64_t batch) {
  int64_t rank = rankOf(x), places = rankOf(indices) - batch;
  Ints order = countFrom(0, batch);
  order.push_back(axis);
  order.append(countFrom(batch, axis));
  order.append(countFrom(axis + 1, rank));
  Value data = node.transpose(x, order);
  Ints single(shapeOf(indices));
  single.push_back(1);
  std::string reason;
  FailureOr<shapes::Shape> shape =
      shapes::gatherNd(shapeOf(data), single, batch, reason);
  if (failed(shape))
    return node.fail(reason);
  Value picked = node.create<GatherNdOp>(
      *shape, elementOf(x), data, node.reshape(indices, single),
      node.getBuilder().getI64IntegerAttr(batch));
  Ints back = countFrom(0, batch);
  back.append(countFrom(batch + places, places + axis));
  back.append(countFrom(batch, batch + places));
  back.append(countFrom(places + axis, places + rank - 1));
  return node.transpose(picked, back);
}

LogicalResult npu::buildTfliteGather(TfliteNode &node) {
  Value x = node.input(0), indices = node.input(1);
  if (!indices)
    return failure();
  const auto *options = node.op.options<tflite::GatherOptions>();
  FailureOr<int64_t> axis =
      node.dimension(options ? options->axis() : 0, rankOf(x));
  if (failed(axis))
    return failure();
  int64_t batch = options ? options->batch_dims() : 0;
  if (batch < 0)
    batch += rankOf(indices);
  if (batch < 0 || batch > *axis || batch > rankOf(indices) ||
      shapeOf(x).take_front(batch) != shapeOf(indices).take_front(batch))
    return node.error("found data of shape " + shapes::text(shapeOf(x)) +
                      " and indices of shape " +
                      shapes::text(shapeOf(indices)) + ", expected " +
                      Twine(batch) + " dimensions that are the same, before " +
                      Twine(*axis));
  if (batch > 0)
    return node.setResult(gatherInBatches(node, x, indices, *axis, batch));
  std::string reason;
  FailureOr<shapes::Shape> shape =
      shapes::gather(shapeOf(x), shapeOf(indices), *axis, reason);
  if (failed(shape))
    return node.error(reason);
  return node.setResult(
      node.create<GatherOp>(*shape, elementOf(x), x, indices,
                            node.getBuilder().getI64IntegerAttr(*axis)));
}

LogicalResult npu::buildTfliteGatherNd(TfliteNode &node) {
  Value x = node.input(0), indices = node.input(1);
  if (!indices)
    return failure();
  std::string reason;
  FailureOr<shapes::Shape> shape =
      shapes::gatherNd(shapeOf(x), shapeOf(indices), 0, reason);
  if (failed(shape))
    return node.error(reason);
  return node.setResult(
      node.create<GatherNdOp>(*shape, elementOf(x), x, indices,
                              node.getBuilder().getI64IntegerAttr(0)));
}

/// Rows of a table; as floats if the result is of floats.
LogicalResult npu::buildTfliteEmbeddingLookup(TfliteNode &node) {
  Value indices = node.input(0), table = node.input(1);
  if (!indices)
    return failure();
  if (node.resultElement() == node.f32())
    table = tfliteFloats(node, 1);
  if (!table || rankOf(table) < 1)
    return node.hasFailed() ? failure() : node.error("has no table of rows");
  Ints shape(shapeOf(indices));
  shape.append(shapeOf(table).begin() + 1, shapeOf(table).end());
  return node.setResult(
      node.create<GatherOp>(shape, elementOf(table), table, indices,
                            node.getBuilder().getI64IntegerAttr(0)));
}

/// One of two numbers, by whether an index is that of the place.
LogicalResult npu::buildTfliteOneHot(TfliteNode &node) {
  Value x = node.input(0), on = node.input(2), off = node.input(3);
  FailureOr<int64_t> depth = node.number(1, "a depth");
  if (!on || !off || failed(depth))
    return failure();
  const auto *options = node.op.options<tflite::OneHotOptions>();
  int64_t rank = rankOf(x) + 1;
  FailureOr<int64_t> axis =
      node.dimension(options ? options->axis() : -1, rank);
  if (failed(axis))
    return failure();
  if (*depth < 0 || *depth > INT32_MAX)
    return node.error("has the depth " + Twine(*depth) +
                      ", expected 0 to 2^31");
  Ints shape(shapeOf(x));
  shape.insert(shape.begin() + *axis, 1);
  Value isHere = node.two(NPU_INSTR_equal, node.reshape(x, shape),
                          node.countAlong(*depth, *axis, rank, elementOf(x)));
  return node.setResult(node.eltwise(
      NPU_INSTR_select, {isHere, node.reshape(on, {}), node.reshape(off, {})}));
}

LogicalResult npu::buildTfliteTopK(TfliteNode &node) {
  Value x = node.input(0);
  FailureOr<int64_t> count = node.number(1, "a number of elements");
  if (failed(count))
    return failure();
  int64_t axis = rankOf(x) - 1;
  if (axis < 0 || *count < 0 || *count > shapeOf(x)[axis])
    return node.error("asks for " + Twine(*count) + " elements of rows of " +
                      shapes::text(shapeOf(x)));
  OpBuilder &builder = node.getBuilder();
  Ints shape(shapeOf(x));
  shape[axis] = *count;
  Value places = node.create<TopKOp>(shape, builder.getI64Type(), x,
                                     builder.getI64IntegerAttr(axis),
                                     builder.getBoolAttr(true));
  if (!places || failed(node.setResult(node.gatherElements(x, places, axis))))
    return failure();
  return node.setResult(node.cast(places, node.indexElement(1)), 1);
}

/// How many boundaries are not above each number: all for NaN.
LogicalResult npu::buildTfliteBucketize(TfliteNode &node) {
  Value x = node.input(0);
  const auto *options = node.op.options<tflite::BucketizeOptions>();
  SmallVector<double> boundaries;
  if (options && options->boundaries())
    boundaries.append(options->boundaries()->begin(),
                      options->boundaries()->end());
  auto count = static_cast<int64_t>(boundaries.size());
  if (count == 0)
    return node.setResult(node.filled(0, shapeOf(x), node.i32()));
  Ints shape(shapeOf(x));
  shape.push_back(1);
  Value number = node.reshape(node.cast(x, node.f32()), shape);
  Value isAbove =
      node.two(NPU_INSTR_less, number, node.floats(boundaries, {count}));
  Value above = node.reduce(node.cast(isAbove, node.i32()), ReduceKind::Sum,
                            {rankOf(x)}, false);
  return node.setResult(node.two(NPU_INSTR_sub, node.number32(count), above));
}

// --- Of shapes ---------------------------------------------------------------

LogicalResult npu::buildTfliteShape(TfliteNode &node) {
  return node.setResult(
      node.cast(node.ints(shapeOf(node.input(0))), node.indexElement()));
}

LogicalResult npu::buildTfliteRank(TfliteNode &node) {
  return node.setResult(
      node.scalar(double(rankOf(node.input(0))), node.indexElement()));
}

/// The shape that both operands broadcast to.
LogicalResult npu::buildTfliteBroadcastArgs(TfliteNode &node) {
  FailureOr<Ints> a = node.numbers(0, "a shape"),
                  b = node.numbers(1, "a shape");
  if (failed(a) || failed(b))
    return failure();
  std::string reason;
  FailureOr<shapes::Shape> shape =
      shapes::broadcast({shapes::Shape(*a), shapes::Shape(*b)}, reason);
  if (failed(shape))
    return node.error(reason);
  return node.setResult(node.cast(node.ints(*shape), node.indexElement()));
}

/// start, start + delta, ... up to the limit, which is none of them.
LogicalResult npu::buildTfliteRange(TfliteNode &node) {
  FailureOr<double> start = node.anyNumber(0, "a start"),
                    limit = node.anyNumber(1, "a limit"),
                    delta = node.anyNumber(2, "a step");
  if (failed(start) || failed(limit) || failed(delta))
    return failure();
  double count = std::ceil((*limit - *start) / *delta);
  if (*delta == 0 || !(count >= 0) || count > INT32_MAX)
    return node.error("has a step of 0, or one away from the limit");
  Type element = elementOf(node.input(0));
  Value counts = node.countAlong(int64_t(count), 0, 1, element);
  Value steps = node.two(NPU_INSTR_mul, counts, node.scalar(*delta, element));
  return node.setResult(
      node.two(NPU_INSTR_add, steps, node.scalar(*start, element)));
}

/// The indices of all elements that are not 0, of a tensor that is known: how
/// many these are is the result's shape.
LogicalResult npu::buildTfliteWhere(TfliteNode &node) {
  Value x = node.input(0);
  // What is stored: quantized numbers are not 0 where their bytes are not.
  double zero = isShiftedByte(*node.op.input(0)) ? -128 : 0;
  Value isZero = node.two(
      NPU_INSTR_equal, elementOf(x).isInteger(1) ? node.cast(x, node.i32()) : x,
      node.scalar(zero,
                  elementOf(x).isInteger(1) ? Type(node.i32()) : elementOf(x)));
  ElementsAttr known = isZero ? constantOf(isZero) : ElementsAttr();
  if (!known)
    return node.unsupported("looks for elements that its data decides, "
                            "expected a constant");
  Ints shape(shapeOf(x)), places;
  int64_t rank = rankOf(x);
  for (auto [i, flag] : llvm::enumerate(elementInts(known))) {
    if (flag != 0)
      continue;
    Ints place(rank);
    auto rest = static_cast<int64_t>(i);
    for (int64_t dim = rank; dim-- > 0; rest /= shape[dim])
      place[dim] = rest % shape[dim];
    places.append(place);
  }
  auto count = rank == 0 ? 0 : static_cast<int64_t>(places.size()) / rank;
  return node.setResult(node.reshape(node.ints(places), {count, rank}));
}
