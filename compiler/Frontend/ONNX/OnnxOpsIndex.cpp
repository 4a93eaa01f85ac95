// SPDX-License-Identifier: Apache-2.0
//
// Ops that address elements by index, or give the places of elements.
#include "compiler/Frontend/ONNX/OnnxOps.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"

using namespace npu;

static LogicalResult checkIndices(OnnxNode &node, Value indices) {
  Type element = elementOf(indices);
  if (element.isInteger(32) || element.isInteger(64))
    return success();
  return node.error("the indices have the element type " + typeText(element) +
                    ", expected int32 or int64");
}

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
  if (failed(axis) || failed(checkIndices(node, indices)) ||
      failed(checkRange(node, indices, shapeOf(data)[*axis])))
    return failure();
  return node.setResult(node.gatherElements(data, indices, *axis));
}

LogicalResult npu::buildGatherND(OnnxNode &node) {
  Value data = node.getInput(0), indices = node.getInput(1);
  int64_t batch = node.getInt("batch_dims", 0, 0, NPU_MAX_RANK);
  if (failed(checkIndices(node, indices)) || node.hasFailed())
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
static FailureOr<StringAttr> readScatter(OnnxNode &node) {
  Value data = node.getInput(0), updates = node.getInput(2);
  std::string reduction = node.version < 16
                              ? "none"
                              : node.getWord("reduction", "none", scatterWords);
  if (elementOf(data) != elementOf(updates))
    return node.error("data and updates have the element types " +
                      typeText(elementOf(data)) + " and " +
                      typeText(elementOf(updates)) + ", expected the same");
  if (failed(checkIndices(node, node.getInput(1))) || node.hasFailed())
    return failure();
  return node.getBuilder().getStringAttr(reduction);
}

LogicalResult npu::buildScatterElements(OnnxNode &node) {
  Value data = node.getInput(0), indices = node.getInput(1);
  FailureOr<int64_t> axis = node.getAxis("axis", 0, rankOf(data));
  FailureOr<StringAttr> reduction = readScatter(node);
  if (failed(axis) || failed(reduction) ||
      failed(checkRange(node, indices, shapeOf(data)[*axis])))
    return failure();
  return node.setResult(node.create<ScatterElementsOp>(
      shapeOf(data), elementOf(data), data, indices, node.getInput(2),
      node.getBuilder().getI64IntegerAttr(*axis), *reduction));
}

LogicalResult npu::buildScatterND(OnnxNode &node) {
  Value data = node.getInput(0);
  FailureOr<StringAttr> reduction = readScatter(node);
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
    FailureOr<Ints> given = node.constantInts(1, "the number of elements");
    if (failed(given))
      return failure();
    if (given->size() != 1)
      return node.error("found " + Twine(given->size()) +
                        " numbers of elements, expected 1");
    count = given->front();
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
  FailureOr<Ints> axes = node.constantInts(1, "the axis");
  if (failed(axes) || node.hasFailed())
    return failure();
  if (axes->size() != 1)
    return node.error("found " + Twine(axes->size()) + " axes, expected 1");
  FailureOr<int64_t> axis = node.normalizeAxis(axes->front(), rankOf(x));
  if (failed(axis))
    return failure();
  OpBuilder &builder = node.getBuilder();
  return node.setResult(node.create<CumulateOp>(
      shapeOf(x), elementOf(x), x, builder.getStringAttr(node.op.word),
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
    FailureOr<Ints> given = node.constantInts(1, "the diagonal");
    if (failed(given))
      return failure();
    if (given->size() != 1)
      return node.error("found " + Twine(given->size()) +
                        " diagonals, expected 1");
    shift = given->front();
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
