// SPDX-License-Identifier: Apache-2.0
//
// Ops that address elements by index, or give the places of elements.
#include "compiler/Frontend/ONNX/OnnxArithmetic.h"
#include "compiler/Frontend/ONNX/OnnxOps.h"
#include "compiler/Frontend/ONNX/OnnxWindow.h"
#include "compiler/Frontend/ONNX/OnnxWithin.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"

using namespace npu;

/// Constant indices are checked here; others when the model runs.
static LogicalResult checkRange(OnnxNode &node, Value indices, int64_t extent) {
  if (ElementsAttr known = constantOf(indices))
    for (int64_t index : elementInts(known))
      if (index < -extent || index >= extent)
        return node.error("found the index " + Twine(index) + ", expected " +
                          Twine(-extent) + " to " + Twine(extent - 1));
  return success();
}

LogicalResult npu::buildGatherElements(OnnxNode &node) {
  Value data = node.getInput(0), indices = node.getInput(1);
  FailureOr<int64_t> axis = node.getAxis("axis", 0, rankOf(data));
  if (failed(axis) || failed(checkRange(node, indices, shapeOf(data)[*axis])))
    return failure();
  return node.setResult(node.gatherElements(data, indices, *axis));
}

LogicalResult npu::buildGatherND(OnnxNode &node) {
  Value data = node.getInput(0), indices = node.getInput(1);
  int64_t batch = node.getInt("batch_dims", 0, 0, NPU_MAX_RANK);
  if (node.hasFailed())
    return failure();
  std::string reason;
  FailureOr<shapes::Shape> shape =
      shapes::gatherNd(shapeOf(data), shapeOf(indices), batch, reason);
  if (failed(shape))
    return node.error(reason);
  return node.setResult(
      node.create<GatherNdOp>(*shape, elementOf(data), data, indices,
                              node.getBuilder().getI64IntegerAttr(batch)));
}

/// What both scatters share.
static FailureOr<ScatterReductionAttr> readScatter(OnnxNode &node) {
  ScatterReduction reduction = ScatterReduction::None;
  if (node.version >= 16)
    reduction = node.getEnum("reduction", reduction);
  if (node.hasFailed())
    return failure();
  return ScatterReductionAttr::get(node.getBuilder().getContext(), reduction);
}

LogicalResult npu::buildScatterElements(OnnxNode &node) {
  Value data = node.getInput(0), indices = node.getInput(1);
  FailureOr<int64_t> axis = node.getAxis("axis", 0, rankOf(data));
  FailureOr<ScatterReductionAttr> reduction = readScatter(node);
  if (failed(axis) || failed(reduction) ||
      failed(checkRange(node, indices, shapeOf(data)[*axis])))
    return failure();
  return node.setResult(node.create<ScatterElementsOp>(
      shapeOf(data), elementOf(data), data, indices, node.getInput(2),
      node.getBuilder().getI64IntegerAttr(*axis), *reduction));
}

LogicalResult npu::buildScatterND(OnnxNode &node) {
  Value data = node.getInput(0);
  FailureOr<ScatterReductionAttr> reduction = readScatter(node);
  if (failed(reduction))
    return failure();
  return node.setResult(node.create<ScatterNdOp>(shapeOf(data), elementOf(data),
                                                 data, node.getInput(1),
                                                 node.getInput(2), *reduction));
}

LogicalResult npu::buildArgReduce(OnnxNode &node) {
  Value x = node.getInput(0);
  bool keepsDims = node.getFlag("keepdims", true);
  bool isLast = node.version >= 12 && node.getFlag("select_last_index", false);
  FailureOr<int64_t> axis = node.getAxis("axis", 0, rankOf(x));
  if (failed(axis) || node.hasFailed())
    return failure();
  if (shapeOf(x)[*axis] < 1 || shapeOf(x)[*axis] > INT32_MAX)
    return node.error("found data of shape " + shapes::text(shapeOf(x)) +
                      ", expected 1 to 2^31 elements along axis " +
                      Twine(*axis));
  Value place =
      node.placeOfBest(x, *axis, StringRef(node.op.word) == "max", isLast);
  if (!place)
    return failure();
  place = node.cast(place, node.getBuilder().getI64Type());
  Ints shape(shapeOf(place));
  if (!keepsDims)
    shape.erase(shape.begin() + *axis);
  return node.setResult(node.reshape(place, shape));
}

LogicalResult npu::buildHardmax(OnnxNode &node) {
  Value x = node.getInput(0);
  bool isFlat = node.version < 13; // dimensions from the axis on are one
  FailureOr<int64_t> axis = node.getAxis("axis", isFlat ? 1 : -1, rankOf(x));
  if (failed(axis))
    return failure();
  Ints shape(shapeOf(x));
  if (isFlat) {
    Ints flat{1, 1};
    for (auto [i, extent] : llvm::enumerate(shape))
      flat[int64_t(i) >= *axis] *= extent;
    x = node.reshape(x, flat);
    axis = 1;
  }
  Value place = node.placeOfBest(x, *axis, true, false);
  if (!place)
    return failure();
  Value counts =
      node.countAlong(shapeOf(x)[*axis], *axis, rankOf(x), elementOf(place));
  Value isBest = node.eltwise(NPU_INSTR_equal, {place, counts});
  return node.setResult(node.reshape(node.cast(isBest, elementOf(x)), shape));
}

LogicalResult npu::buildTopK(OnnxNode &node) {
  Value x = node.getInput(0);
  bool isLargest = node.version < 11 || node.getFlag("largest", true);
  if (node.version >= 11)
    node.ignore({"sorted"}); // sorted is one of the orders that 0 allows
  FailureOr<int64_t> axis = node.getAxis("axis", -1, rankOf(x));
  int64_t count = node.version < 10 ? node.getInt("k", 0, 1) : 0;
  if (node.version >= 10) {
    FailureOr<int64_t> given =
        node.constantInt(1, "the number of elements", "numbers of elements");
    if (failed(given))
      return failure();
    count = *given;
  }
  if (failed(axis) || node.hasFailed())
    return failure();
  if (count < 0 || count > shapeOf(x)[*axis])
    return node.error("asks for " + Twine(count) + " elements of " +
                      Twine(shapeOf(x)[*axis]));
  OpBuilder &builder = node.getBuilder();
  Ints shape(shapeOf(x));
  shape[*axis] = count;
  Value places = node.create<TopKOp>(shape, builder.getI64Type(), x,
                                     builder.getI64IntegerAttr(*axis),
                                     builder.getBoolAttr(isLargest));
  if (!places ||
      failed(node.setResult(0, node.gatherElements(x, places, *axis))))
    return failure();
  return node.setResult(1, places);
}

LogicalResult npu::buildCumulate(OnnxNode &node) {
  Value x = node.getInput(0);
  bool isExclusive = node.getFlag("exclusive", false);
  bool isReverse = node.getFlag("reverse", false);
  FailureOr<int64_t> given = node.constantInt(1, "the axis", "axes");
  if (failed(given) || node.hasFailed())
    return failure();
  FailureOr<int64_t> axis = node.normalizeAxis(*given, rankOf(x));
  if (failed(axis))
    return failure();
  OpBuilder &builder = node.getBuilder();
  return node.setResult(node.create<CumulateOp>(
      shapeOf(x), elementOf(x), x,
      CumulateKindAttr::get(builder.getContext(),
                            *symbolizeCumulateKind(node.op.word)),
      builder.getI64IntegerAttr(*axis), builder.getBoolAttr(isExclusive),
      builder.getBoolAttr(isReverse)));
}

/// Indices of any number type; a place outside of -depth..depth-1 is nowhere.
LogicalResult npu::buildOneHot(OnnxNode &node) {
  Value indices = node.getInput(0), values = node.getInput(2);
  FailureOr<SmallVector<double>> given = node.constantFloats(1, "the depth");
  FailureOr<int64_t> axis = node.getAxis("axis", -1, rankOf(indices) + 1);
  if (failed(given) || failed(axis))
    return failure();
  if (given->size() != 1 || !(given->front() >= 1) ||
      !(given->front() <= INT32_MAX))
    return node.error("found a depth that is no number from 1 to 2^31");
  if (rankOf(values) != 1 || shapeOf(values)[0] != 2)
    return node.error("found values of shape " + shapes::text(shapeOf(values)) +
                      ", expected 2");
  auto depth = static_cast<int64_t>(given->front());
  Type i64 = node.getBuilder().getI64Type();
  Ints shape(shapeOf(indices));
  shape.insert(shape.begin() + *axis, 1);
  Value place = node.reshape(node.cast(indices, i64), shape);
  Value isBehind = node.eltwise(NPU_INSTR_less, {place, node.scalar(0, i64)});
  Value fromEnd =
      node.eltwise(NPU_INSTR_add, {place, node.scalar(double(depth), i64)});
  place = node.eltwise(NPU_INSTR_select, {isBehind, fromEnd, place});
  Value isHot = node.eltwise(
      NPU_INSTR_equal,
      {place, node.countAlong(depth, *axis, rankOf(indices) + 1, i64)});
  auto choice = [&](int64_t index) {
    return node.reshape(node.slice(values, {index}, {1}, {1}), {});
  };
  return node.setResult(
      node.eltwise(NPU_INSTR_select, {isHot, choice(1), choice(0)}));
}

LogicalResult npu::buildTrilu(OnnxNode &node) {
  Value x = node.getInput(0);
  bool isUpper = node.getFlag("upper", true);
  int64_t shift = 0;
  if (node.hasInput(1)) {
    FailureOr<int64_t> given = node.constantInt(1, "the diagonal", "diagonals");
    if (failed(given))
      return failure();
    shift = *given;
  }
  int64_t rank = rankOf(x);
  if (rank < 2)
    return node.error("found data of shape " + shapes::text(shapeOf(x)) +
                      ", expected matrices");
  Type i64 = node.getBuilder().getI64Type();
  Value rows = node.countAlong(shapeOf(x)[rank - 2], rank - 2, rank, i64);
  Value columns = node.countAlong(shapeOf(x)[rank - 1], rank - 1, rank, i64);
  shift = std::clamp<int64_t>(shift, -INT32_MAX, INT32_MAX);
  Value diagonal =
      node.eltwise(NPU_INSTR_add, {rows, node.reshape(node.ints(shift), {})});
  Value stays =
      node.eltwise(isUpper ? NPU_INSTR_greater_equal : NPU_INSTR_less_equal,
                   {columns, diagonal});
  return node.setResult(
      node.eltwise(NPU_INSTR_select, {stays, x, node.scalar(0, elementOf(x))}));
}

/// Numbers along dimension `axis` for each entry of dimension `batch`, such
/// that they broadcast to data of rank `rank`: (batch) becomes (.., batch, ..).
static Value perSample(OnnxNode &node, Value numbers, int64_t batch,
                       int64_t rank) {
  Ints shape(rank, 1);
  shape[batch] = tensorType(numbers).getNumElements();
  return node.reshape(node.cast(numbers, node.getBuilder().getI64Type()),
                      shape);
}

LogicalResult npu::buildReverseSequence(OnnxNode &node) {
  Value x = node.getInput(0), lengths = node.getInput(1);
  int64_t rank = rankOf(x);
  FailureOr<int64_t> time = node.getAxis("time_axis", 0, rank);
  FailureOr<int64_t> batch = node.getAxis("batch_axis", 1, rank);
  if (failed(time) || failed(batch))
    return failure();
  if (*time == *batch ||
      shapeOf(lengths) != ArrayRef<int64_t>(shapeOf(x)[*batch]))
    return node.error("found data of shape " + shapes::text(shapeOf(x)) +
                      " and lengths of shape " +
                      shapes::text(shapeOf(lengths)) +
                      ", expected one length for each entry of axis " +
                      Twine(*batch) + " and another axis for time");
  lengths = heldWithin(node, lengths, shapeOf(x)[*time] + 1, "length");
  if (!lengths)
    return failure();
  return node.setResult(
      node.reverseFirst(x, perSample(node, lengths, *batch, rank), *time));
}

LogicalResult npu::buildTensorScatter(OnnxNode &node) {
  Value cache = node.getInput(0), update = node.getInput(1);
  int64_t rank = rankOf(cache);
  bool wraps =
      node.getWord("mode", "linear", {"linear", "circular"}) == "circular";
  FailureOr<int64_t> axis = node.getAxis("axis", -2, rank);
  if (failed(axis) || node.hasFailed())
    return failure();
  Ints expected(shapeOf(cache));
  if (rankOf(update) == rank)
    expected[*axis] = shapeOf(update)[*axis];
  if (*axis == 0 || shapeOf(update) != ArrayRef<int64_t>(expected) ||
      expected[*axis] > shapeOf(cache)[*axis])
    return node.error("found a cache of shape " + shapes::text(shapeOf(cache)) +
                      " and an update of shape " +
                      shapes::text(shapeOf(update)) +
                      ", expected the same but for axis " + Twine(*axis) +
                      ", which is not the first");
  Type i64 = node.getBuilder().getI64Type();
  Value place = node.countAlong(expected[*axis], *axis, rank, i64);
  if (node.hasInput(2)) {
    if (shapeOf(node.getInput(2)) != ArrayRef<int64_t>(expected[0]))
      return node.error("found write indices of shape " +
                        shapes::text(shapeOf(node.getInput(2))) +
                        ", expected " + Twine(expected[0]));
    place = add(node, place, perSample(node, node.getInput(2), 0, rank));
  }
  if (wraps)
    place =
        node.eltwise(NPU_INSTR_mod,
                     {place, node.scalar(double(shapeOf(cache)[*axis]), i64)});
  OpBuilder &builder = node.getBuilder();
  place = node.broadcast(place, expected);
  if (!place)
    return failure();
  return node.setResult(node.create<ScatterElementsOp>(
      shapeOf(cache), elementOf(cache), cache, place, update,
      builder.getI64IntegerAttr(*axis),
      ScatterReductionAttr::get(builder.getContext(), ScatterReduction::None)));
}

/// The pixel of the flat image that each element of the columns (block, L)
/// lies on; `nowhere` for those of the padding.
static Ints pixelsOfColumns(ArrayRef<int64_t> image, const OnnxWindow &window,
                            ArrayRef<int64_t> counts, int64_t nowhere) {
  auto rank = static_cast<int64_t>(image.size());
  int64_t points = 1, places = 1;
  for (int64_t i = 0; i < rank; ++i) {
    points *= window.kernel[i];
    places *= counts[i];
  }
  Ints pixels;
  for (int64_t point = 0; point < points; ++point)
    for (int64_t place = 0; place < places; ++place) {
      int64_t inBlock = point, inRow = place, pixel = 0, stride = 1;
      bool isInside = true;
      for (int64_t i = rank; i-- > 0;) {
        int64_t at = inRow % counts[i] * window.strides[i] - window.pads[i] +
                     inBlock % window.kernel[i] * window.dilations[i];
        isInside = isInside && at >= 0 && at < image[i];
        pixel += at * stride;
        stride *= image[i];
        inRow /= counts[i];
        inBlock /= window.kernel[i];
      }
      pixels.push_back(isInside ? pixel : nowhere);
    }
  return pixels;
}

/// Adds each column's elements where they lie; those of the padding go to a
/// pixel behind the image.
LogicalResult npu::buildCol2Im(OnnxNode &node) {
  Value x = node.getInput(0);
  FailureOr<Ints> image = node.constantInts(1, "the image's shape");
  FailureOr<Ints> block = node.constantInts(2, "the block's shape");
  if (failed(image) || failed(block))
    return failure();
  if (image->size() != block->size())
    return node.error("found " + Twine(image->size()) +
                      " sizes of the image and " + Twine(block->size()) +
                      " of the block, expected as many");
  FailureOr<OnnxWindow> window = readWindow(node, *block);
  std::string reason;
  if (failed(window))
    return failure();
  FailureOr<shapes::Shape> counts = shapes::windowed(
      *image,
      {window->kernel, window->strides, window->dilations, window->pads},
      reason);
  if (failed(counts))
    return node.error(reason);
  int64_t points = 1, places = 1, pixels = 1;
  for (size_t i = 0; i < image->size(); ++i) {
    points *= (*block)[i];
    places *= (*counts)[i];
    pixels *= (*image)[i];
  }
  ArrayRef<int64_t> shape = shapeOf(x);
  if (shape.size() != 3 || shape[1] % points != 0 || shape[2] != places)
    return node.error("found columns of shape " + shapes::text(shape) +
                      ", expected N, channels times " + Twine(points) + ", " +
                      Twine(places));
  OpBuilder &builder = node.getBuilder();
  Ints flat{shape[0], shape[1] / points, points * places};
  Value columns = node.reshape(x, flat);
  Value indices = node.broadcast(
      node.ints(pixelsOfColumns(*image, *window, *counts, pixels)), flat);
  flat[2] = pixels + 1;
  Value zeros = node.filled(0, flat, elementOf(x));
  if (!columns || !indices || !zeros)
    return failure();
  Value sums = node.create<ScatterElementsOp>(
      flat, elementOf(x), zeros, indices, columns, builder.getI64IntegerAttr(2),
      ScatterReductionAttr::get(builder.getContext(), ScatterReduction::Add));
  Ints result{flat[0], flat[1]};
  flat[2] = pixels;
  result.append(*image);
  return node.setResult(
      node.reshape(node.slice(sums, {0, 0, 0}, {1, 1, 1}, flat), result));
}
